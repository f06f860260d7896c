import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { documentOf, encode } from '../output/encode.ts';
import { unzip } from '../output/xlsx-reader.ts';
import { type CliResult, runCli, temporaryFolder } from '../support/run-cli.ts';

const sheetPath = 'xl/worksheets/sheet1.xml';

async function view(bytes: Uint8Array): Promise<CliResult> {
  const cwd = temporaryFolder();
  await writeFile(join(cwd, 'report.xlsx'), bytes);
  return runCli(['view', 'report.xlsx', '--by', 'DAILY', '--format', 'csv'], { cwd });
}

/** The parts of a workbook that adreport wrote, packed anew without compression. */
async function storedWorkbook(): Promise<Buffer> {
  const rows = ['{"date":"2026-11-01","clicks":1}', '{"date":"2026-11-02","clicks":2}'];
  const { bytes } = await encode(documentOf(...rows), 'xlsx');
  const parts = [...unzip(bytes)].map(([path, xml]) => [path, strToU8(xml)] as const);
  return Buffer.from(zipSync(Object.fromEntries(parts), { level: 0 }));
}

describe('a sheet is read by its checksums', () => {
  test('as it was written', async () => {
    const { exitCode, stdout } = await view(await storedWorkbook());
    expect(exitCode).toBe(0);
    expect(stdout).toContain('2026-11-02,2');
  });

  test.each([
    ['the rows', sheetPath, '<v>2</v>', '<v>7</v>'],
    ['the summary', 'xl/worksheets/sheet2.xml', 'Totals', 'Titles'],
    ['the styles', 'xl/styles.xml', 'Calibri', 'Colibri'],
  ])('and refused where a byte of %s is another', async (_, path, text, other) => {
    const workbook = await storedWorkbook();
    const part = workbook.indexOf(path);
    workbook.write(other, workbook.indexOf(text, part));

    const { exitCode, stderr } = await view(workbook);
    expect(stderr).toContain(`its part ${path} is damaged`);
    expect(exitCode).toBe(9);
  });
});

/** A workbook of one sheet with this text in it. */
function workbookOf(sheetData: string): Uint8Array {
  return zipSync({ [sheetPath]: strToU8(`<worksheet><sheetData>${sheetData}`) });
}

test.each([
  ['cells without an end', `<row r="1">${'<c r="A1">'.repeat(700_000)}</row>`],
  ['cells without an end, and one with it', `<row r="1">${'<c r="A1">'.repeat(700_000)}</c></row>`],
  ['tags without an end', `<row r="1">${'<c r="A1" '.repeat(700_000)}</row>`],
  ['rows without an end', '<row r="1">'.repeat(700_000)],
  ['rows, and one end', `${'<row r="1">'.repeat(700_000)}</row>`],
])('a sheet of %s is refused, and soon', async (_, sheetData) => {
  const { exitCode } = await view(workbookOf(sheetData));
  expect(exitCode).toBe(9);
});
