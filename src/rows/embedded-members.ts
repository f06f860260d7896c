import type { FileHandle } from 'node:fs/promises';
import type { ReportMember } from './row-batch.ts';
import { readZipPart } from './zip-parts.ts';

/** What adreport notes of a report stands within the first bytes of its page. */
const mostHeadBytes = 2 * 1024 * 1024;

/**
 * What adreport noted of the report in a sheet; nothing in a sheet of another program.
 * @throws an error of any kind where the archive is damaged
 */
export async function readSheetMembers(
  file: FileHandle,
  sizeBytes: number,
): Promise<ReportMember[]> {
  const part = await readZipPart(file, sizeBytes, 'customXml/item1.xml');
  const xml = part?.toString() ?? '';
  return membersIn(/<report xmlns="urn:adreport:report">([^<]*)<\/report>/.exec(xml)?.[1]);
}

/**
 * What adreport noted of the report in a page; nothing in a page of another program.
 * @throws an error of any kind where it is damaged
 */
export async function readPageMembers(file: FileHandle): Promise<ReportMember[]> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(mostHeadBytes), 0, mostHeadBytes, 0);
  const html = buffer.toString('utf8', 0, bytesRead);
  const element = /<script type="application\/json" id="report">([^<]*)<\/script>/.exec(html);
  return membersIn(element?.[1]);
}

function membersIn(text: string | undefined): ReportMember[] {
  if (text === undefined) return [];

  const document: object = JSON.parse(text);
  return Object.entries(document).map(([name, value]) => {
    return { name, json: Buffer.from(JSON.stringify(value)) };
  });
}
