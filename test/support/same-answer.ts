import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { readSheet, unzip } from '../present/xlsx-reader.ts';
import { fillOnce } from './fill-once.ts';
import { findProgram } from './programs.ts';
import { serveForTest } from './service.ts';

// `view` of a folder writes what `run` writes for the same days: in every format, but for the
// origin.

const now = Date.parse('2026-11-03T10:00:00Z');

/** Starts a service, and fills a folder `data` with a run. */
export async function serveFolder(flags: string, account: 'buyer' | 'dsp' = 'buyer') {
  const service = await serveForTest({ delayMs: 0, clock: () => now }, account);
  const run = (line: string, env: NodeJS.ProcessEnv = {}) => service.run(line, { now, env });
  await fillOnce(`${account} ${flags}`, service.cwd, async () => {
    const { exitCode, stderr } = await run(`run ${flags} -q`);
    expect(exitCode, stderr).toBe(0);
  });

  const at = (name: string): string => join(service.cwd, name);
  const read = (name: string): string => readFileSync(at(name), 'utf8');
  return { ...service, run, at, read };
}

type ServedFolder = Awaited<ReturnType<typeof serveFolder>>;

/** What is in a folder. */
interface Filling {
  readonly account: 'buyer' | 'dsp';
  readonly ending: 'csv' | 'ndjson' | 'parquet';
  readonly rowsHaveDays: boolean;

  /** Days of its files. */
  readonly days: string;
}

/** What both `view` and `run` write. */
interface Question extends Filling {
  /** Breakdowns; `OWN` is the one of the folder beside its days. */
  readonly by: string;
  readonly period: string;

  /** Ending of the file, and flags of its dialect. */
  readonly format: string;
  readonly compare: boolean;
}

/** Two days with the one before each, on both sides of a change of clocks and of month. */
const fewPeriods = ['2026-10-26', '2026-11-01..2026-11-02'];
const fewDays = '2026-10-25..2026-11-02';

/** Two kinds of folders that have each account and both forms of rows. */
const fewFillings: readonly Filling[] = [
  { account: 'buyer', ending: 'csv', rowsHaveDays: false, days: fewDays },
  { account: 'dsp', ending: 'parquet', rowsHaveDays: true, days: fewDays },
];
const everyFilling: fc.Arbitrary<Filling> = fc.record({
  account: fc.constantFrom('buyer' as const, 'dsp' as const),
  ending: fc.constantFrom('csv' as const, 'ndjson' as const, 'parquet' as const),
  rowsHaveDays: fc.boolean(),
  days: fc.constant('2026-09-01..2026-11-02'),
});

const fastFormats = ['csv', 'html', 'txt', 'xlsx', 'csv --excel', 'csv --normalize'];

const browser = findProgram('chromium', 'chromium-browser', 'google-chrome');
const pdfToText = findProgram('pdftotext');
const canReadPdf = browser !== undefined && pdfToText !== undefined;

/** Formats whose files can be compared here; a PDF is the printed page, and takes seconds. */
const everyFormat = [...fastFormats, ...(canReadPdf ? ['pdf'] : [])];

/** @param isThorough true for every kind of folder and PDFs */
export function questions({ isThorough }: { readonly isThorough: boolean }) {
  const filling = isThorough ? everyFilling : fc.constantFrom(...fewFillings);
  const formats = isThorough ? everyFormat : fastFormats;
  const months = isThorough ? ['MONTHLY', 'MONTHLY,OWN'] : [];
  const periods = isThorough ? [...fewPeriods, '2026-10', '2026-10-05..2026-10-07'] : fewPeriods;
  const asked = fc.record({
    by: fc.constantFrom('DAILY', 'OWN', 'DAILY,OWN', 'OWN,DAILY', ...months),
    period: fc.constantFrom(...periods),
    format: fc.constantFrom(...formats),
    compare: fc.boolean(),
  });
  return (
    fc
      .tuple(filling, asked)
      .map(([folder, question]): Question => ({ ...folder, ...question }))
      // The page of a folder without times has “Over time” all the same.
      .filter(({ by, format }) => by !== 'OWN' || format !== 'pdf')
      .filter(({ by, period }) => !by.startsWith('MONTHLY') || period === '2026-10')
  );
}

/** Asks `view` and `run`; folders are filled when first needed. */
export function compareViewWithRun(): (question: Question) => Promise<void> {
  const folders = new Map<string, Promise<ServedFolder>>();
  return async (question) => {
    const { account, ending, rowsHaveDays, format, period } = question;
    const own = account === 'buyer' ? 'CAMPAIGN' : 'FORMAT';
    const key = `${account} ${ending} ${rowsHaveDays}`;
    const filling = folders.get(key) ?? fill(question, own);
    folders.set(key, filling);
    const folder = await filling;

    const [name = '', ...dialect] = format.split(' ');
    const by = `--by ${question.by.replace('OWN', own)}`;
    const compare = question.compare ? '--compare' : '';
    const flags = `--period ${period} ${by} ${compare} ${dialect.join(' ')} -q`;
    const env = name === 'pdf' ? { ADREPORT_BROWSER: browser } : {};
    const viewed = await folder.run(`view data ${flags} -o view.${name}`, env);
    expect(viewed, viewed.stderr).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await folder.run(`run ${flags} -o run.${name}`, env)).exitCode).toBe(0);

    const shown = shownBy(folder.at(`view.${name}`));
    const viewedAlike = question.by === 'OWN' ? withoutTrend(shown) : shown;
    expect(viewedAlike).toEqual(shownBy(folder.at(`run.${name}`)));
  };
}

function fill(
  { account, ending, rowsHaveDays, days }: Filling,
  own: string,
): Promise<ServedFolder> {
  const by = rowsHaveDays ? `DAILY,${own}` : own;
  const window = `--period ${days} --split day --concurrency 8`;
  return serveFolder(`${window} --by ${by} -o data/{date}.${ending}`, account);
}

/** Removes “Over time” from a page, which a folder has in any case. */
function withoutTrend(shown: unknown): unknown {
  if (typeof shown !== 'string') return shown;
  return shown.replace(/<section class="trend">.*?<\/section>\n/s, '');
}

/** Reads all that a file shows, without its origin. */
function shownBy(path: string): unknown {
  if (path.endsWith('.xlsx')) return readSpreadsheetParts(path);
  if (path.endsWith('.pdf')) return readPdfText(path);
  return withoutOrigin(readFileSync(path, 'utf8'));
}

/** Removes the origin from a page or a table: the report's id, and the times of its rows. */
export function withoutOrigin(text: string): string {
  return text
    .replaceAll(/Report ID [0-9a-f]+ ?|\n?<dt>Report ID<\/dt><dd>[^<]*<\/dd>/g, '')
    .replaceAll(/Downloaded [^:]*:\d\d UTC ?|\n?<dt>Downloaded<\/dt><dd>[^<]*<\/dd>/g, '');
}

/** Reads the parts of a spreadsheet, and the rows of its Summary, which names the origin. */
function readSpreadsheetParts(path: string): object {
  const archive = readFileSync(path);
  const { 'xl/worksheets/sheet2.xml': _, ...parts } = Object.fromEntries(unzip(archive));
  // The cells of the chart are below those of the origin.
  const placeless = Object.entries(parts).map(([name, xml]) => [
    name,
    /workbook|chart/.test(name) ? xml.replaceAll(/\$\d+(?=[:<])/g, '$n') : xml,
  ]);
  const origin = ['Report ID', 'Downloaded'];
  const summary = readSheet(archive, 2).filter(([name]) => !origin.includes(String(name)));
  return { parts: placeless, summary };
}

/** Reads the text of a PDF, without the line breaks that its origin moves. */
function readPdfText(path: string): string {
  const text = execFileSync(pdfToText ?? '', ['-layout', path, '-'], { encoding: 'utf8' });
  return withoutOrigin(text.replaceAll(/\s+/g, ' '));
}
