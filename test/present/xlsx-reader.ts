import { inflateRawSync } from 'node:zlib';

/** The entries of a ZIP archive, found through its central directory. */
export function unzip(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06'));
  const entries = new Map<string, string>();
  let at = archive.readUInt32LE(end + 16);
  for (let i = 0; i < archive.readUInt16LE(end + 10); i++) {
    const [compressedBytes, sizeBytes] = [
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 24),
    ];
    const [nameBytes, offset] = [archive.readUInt16LE(at + 28), archive.readUInt32LE(at + 42)];
    const name = archive.toString('utf8', at + 46, at + 46 + nameBytes);
    const data = inflateRawSync(
      archive.subarray(offset + 30 + nameBytes, offset + 30 + nameBytes + compressedBytes),
    );
    if (data.length !== sizeBytes)
      throw new Error(`${name} has ${data.length} bytes instead of ${sizeBytes}.`);
    entries.set(name, data.toString());
    at += 46 + nameBytes;
  }
  return entries;
}

export type CellValue = string | number | null;

/** The cells of a sheet by row, with numbers regardless of format. */
export function readSheet(archive: Buffer, number: 1 | 2 = 1): CellValue[][] {
  const xml = unzip(archive).get(`xl/worksheets/sheet${number}.xml`) ?? '';
  const rows: CellValue[][] = [];
  for (const [, number, cells = ''] of xml.matchAll(/<row r="(\d+)"[^>]*>(.*?)<\/row>/gs)) {
    const row: CellValue[] = [];
    rows[Number(number) - 1] = row;
    for (const [, letters = '', rest = ''] of cells.matchAll(
      /<c r="([A-Z]+)\d+"(.*?(?:\/>|<\/c>))/gs,
    )) {
      row[columnOf(letters)] = contentOf(rest);
    }
    for (let i = 0; i < row.length; i++) row[i] ??= null;
  }
  return rows;
}

function columnOf(letters: string): number {
  return [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;
}

function contentOf(xml: string): CellValue {
  const number = /<v>(.*)<\/v>/.exec(xml)?.[1];
  if (number !== undefined) return Number(number);
  const text = /<t(?: xml:space="preserve")?>(.*)<\/t>/s.exec(xml)?.[1];
  if (text === undefined) return null;
  return text
    .replace(
      /&(amp|lt|gt|quot);/g,
      (_, name: 'amp') => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name],
    )
    .replace(/_x([0-9A-F]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
