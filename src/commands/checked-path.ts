import { opendir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type FolderVerdict, judgeFolder } from '../archive/check.ts';
import { bytesIn, type FoundFolder, findFolders, readFolder } from '../archive/folder.ts';
import { planRepair, type RepairPlan } from '../archive/repair.ts';
import type { AgeOfReports } from '../archive/restatement.ts';
import type { SeriesSummary } from '../archive/series-summary.ts';
import type { Context } from '../context.ts';
import { tableLook } from '../deliver/deliver.ts';
import { codeOf, UsageError } from '../errors.ts';
import { figuresOf, leadingFirst } from '../figures/figures.ts';
import { groupedText } from '../figures/numbers.ts';
import type { TableLook } from '../output/encoder.ts';
import { type TextColumn, textTable } from '../present/terminal/table-layout.ts';
import { requestInWords } from '../report/filter-words.ts';
import type { SpecRequest } from '../report/spec.ts';
import { wrap } from '../text/cell-width.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { formatBytes, formatCount, formatPlural } from '../text/quantity.ts';
import { shellWord } from '../text/quote-for-shell.ts';

/** A finding with the path of its file as the user would type it. */
interface ShownFinding {
  readonly file: string;
  readonly kind: string;
  readonly said: string;
}

/** What was found out about a path of `check` or `repair`. */
export interface CheckedPath {
  /** As the user would type it. */
  readonly path: string;
  readonly folders: readonly CheckedFolder[];
  readonly findings: readonly ShownFinding[];
  readonly notes: readonly string[];

  /** The command that fetches what can be fetched; `null` where nothing can. */
  readonly mend: string | null;

  /** How many files that fetches. */
  readonly fetchCount: number;

  /** What only a person can decide, in sentences. */
  readonly forPerson: readonly string[];

  /** What is there, as a sentence, where nobody keeps books of it. */
  readonly description?: string;
}

/** A folder with its books. */
interface CheckedFolder {
  /** As the user would type it. */
  readonly path: string;
  readonly verdict: FolderVerdict;
  readonly plan: RepairPlan;
}

/**
 * Holds what lies at a path against its books.
 *
 * @param typed the path as the user typed it
 * @throws UsageError for a path that is empty, or not there
 */
export async function checkPath(context: Context, typed: string): Promise<CheckedPath> {
  const { cwd, signal } = context.host;
  // What a shell makes of a variable without a value is not meant to be the working folder.
  if (typed === '') {
    throw new UsageError('The path is empty.', {
      hint: 'Give a folder of reports, or a report file.',
    });
  }
  const path = resolve(cwd, typed);
  const found = await findFolders(path, signal);
  const folders: CheckedFolder[] = [];
  for (const folder of found) folders.push(await checkFolder(context, folder));

  const findings: ShownFinding[] = [];
  const notes: string[] = [];
  const forPerson = new Set<string>();
  let fetchCount = 0;
  for (const folder of folders) {
    for (const { file, kind, said } of folder.verdict.findings) {
      findings.push({ file: join(folder.path, file), kind, said });
    }
    notes.push(...folder.verdict.notes);
    for (const { times } of folder.plan.fetches) fetchCount += times.length;
    for (const sentence of folder.plan.forPerson) forPerson.add(sentence);
  }

  const shownPath = pathToType(relative(cwd, path));
  const isClosed = folders.length === 0 && (await isClosedFolder(path));
  if (isClosed) {
    const said = `${shownPath} cannot be listed: permission is denied.`;
    findings.push({ file: shownPath, kind: 'unreadable', said });
  }
  const mend = fetchCount > 0 ? `adreport repair ${shellWord(shownPath)}` : null;
  const checked = { path: shownPath, folders, findings, notes, mend, fetchCount };
  const isUnknown = folders.length === 0 && !isClosed;
  const description = isUnknown ? await describe(path, shownPath) : undefined;
  return { ...checked, forPerson: [...forPerson], ...(description && { description }) };
}

/** A relative path as it can be typed again: one that begins with `-` would be a flag. */
function pathToType(path: string): string {
  if (path === '') return '.';
  return path.startsWith('-') ? `./${path}` : path;
}

/** Whether a path is a folder that may not be listed. */
async function isClosedFolder(path: string): Promise<boolean> {
  try {
    const folder = await opendir(path);
    await folder.close();
    return false;
  } catch (error) {
    return ['EACCES', 'EPERM'].includes(codeOf(error) ?? '');
  }
}

async function describe(path: string, shownPath: string): Promise<string> {
  const stats = await stat(path);
  if (!stats.isFile()) return `No books tell what ${shownPath} holds.`;
  if (stats.size === 0) return `${shownPath} is empty, and no books tell what it should hold.`;
  return `${shownPath} has ${formatBytes(stats.size)}, and no books tell what it holds.`;
}

async function checkFolder(context: Context, found: FoundFolder): Promise<CheckedFolder> {
  const { cwd, signal, wallClock } = context.host;
  const meter = (await context.progress()).transfer('Checking', bytesIn(found));
  let bytes = 0;
  const onBytes = (count: number): void => {
    bytes += count;
    meter.update({ bytes });
  };

  try {
    const now = Math.floor(wallClock() / 1_000);
    const facts = await readFolder(found, { signal, onBytes, now });
    const verdict = judgeFolder(facts);
    const { folder } = found.books;
    return { path: relative(cwd, folder) || '.', verdict, plan: planRepair(found.books, verdict) };
  } finally {
    meter.stop();
  }
}

/**
 * Writes what was found out, as text or with `--json` as one object, and as a list of them for
 * several paths.
 */
export async function writeChecked(
  context: Context,
  checked: readonly CheckedPath[],
): Promise<void> {
  const { console, flags } = context;
  if (flags.json) {
    const [first, ...others] = checked.map(documentOf);
    return console.result(visibleJson(others.length === 0 ? first : [first, ...others]));
  }

  const look = tableLook(context);
  const blocks = checked.map((path) => linesOf(path, context, look).join('\n'));
  await console.write(`${blocks.join('\n\n')}\n`);
}

/** A path as one object of `--json` (`cli.md`, `adreport check`). */
function documentOf({ folders, findings, notes, mend }: CheckedPath): object {
  return {
    series: folders.flatMap(({ path, verdict }) => {
      return verdict.series.map((series) => ({ folder: path, ...documentOfSeries(series) }));
    }),
    findings,
    notes,
    books: folders.flatMap(({ path, verdict }) => {
      return verdict.books.map(({ name, passedOver, unreadable = null }) => {
        return { file: join(path, name), passedOver, unreadable };
      });
    }),
    mend,
  };
}

function documentOfSeries({ order, advice, ages, ...summary }: SeriesSummary): object {
  const { request, timezone, format, split, period, lookback, account, service } = order;
  const asked = { request, timezone, format, split, period, lookback, account, service };
  return { ...asked, ...summary, ages, advisedLookback: advice.lookback ?? null };
}

/** So many findings are printed; `--json` has all of them. */
const findingsAtMost = 50;

function linesOf(checked: CheckedPath, { console }: Context, look: TableLook): string[] {
  const { bold, red, green } = console.out.style;
  const { path, folders, findings, notes, description } = checked;
  if (description !== undefined) return wrapped(printable(description), look);

  const lines: string[] = [];
  for (const folder of folders) {
    lines.push(bold(printable(folder.path)));
    for (const series of folder.verdict.series) {
      for (const sentence of seriesInWords(series)) lines.push(indented(sentence, look));
    }
  }
  if (folders.length === 0) lines.push(bold(printable(path)));

  const count = findings.length;
  lines.push(
    '',
    count === 0 ? green('Nothing is wrong.') : red(`${formatPlural(count, 'finding')}:`),
  );
  for (const { said } of findings.slice(0, findingsAtMost)) lines.push(indented(said, look));
  if (count > findingsAtMost) {
    const rest = formatCount(count - findingsAtMost);
    lines.push(indented(`… and ${rest} more: --json has all of them.`, look));
  }

  if (notes.length > 0) lines.push('', `${formatPlural(notes.length, 'note')}:`);
  for (const note of notes) lines.push(indented(note, look));
  for (const { verdict } of folders) {
    for (const series of verdict.series) lines.push(...linesOfAges(series, look));
  }
  return [...lines, ...linesOfCure(checked, look)];
}

/** How the path is mended, which is the last that is said of it. */
function linesOfCure({ mend, fetchCount, forPerson }: CheckedPath, look: TableLook): string[] {
  const lines: string[] = [];
  if (forPerson.length > 0) lines.push('', 'Only you can decide:');
  for (const sentence of forPerson) lines.push(indented(sentence, look));
  if (mend !== null) {
    lines.push(
      '',
      `To mend: ${printable(mend)}   (it fetches ${formatPlural(fetchCount, 'file')})`,
    );
  }
  return lines;
}

/** A sentence in lines that the terminal has room for, two blanks before each. */
function indented(sentence: string, { width = Number.POSITIVE_INFINITY }: TableLook): string {
  return `  ${wrap(printable(sentence), width - 2).join('\n  ')}`;
}

function wrapped(sentence: string, { width = Number.POSITIVE_INFINITY }: TableLook): string[] {
  return wrap(sentence, width);
}

/** The request of a series, its window, its size, and what it adds up to. */
function seriesInWords(series: SeriesSummary): string[] {
  const { order, output, since, until, files, rows, bytes, totals } = series;
  const account = order.account === null ? '' : `; account ${order.account}`;
  const request = `${output}: ${requestInWords(order.request as SpecRequest)}${account}`;
  if (files === 0) return [request];

  const size = [formatPlural(files, 'file'), formatPlural(rows, 'row'), formatBytes(bytes)];
  const sums = Object.entries(totals).map(([metric, sum]) => `${metric} ${groupedText(sum)}`);
  return [request, `${since} … ${until}: ${size.join(', ')}`, sums.join(', ')];
}

/** How far figures moved at each age, and what follows. */
function linesOfAges({ ages, advice }: SeriesSummary, look: TableLook): string[] {
  if (ages.length === 0) return [];
  const lines = ['', 'How far figures moved when their files were fetched again:', ''];
  lines.push(tableOfAges(ages, look));
  if (advice.sentence !== undefined) lines.push('', ...wrapped(advice.sentence, look));
  return lines;
}

/** A line of the table of ages: one age, or several neighbouring ones at which nothing moved. */
interface AgeLine {
  readonly days: string;
  readonly refetched: number;

  /** The leading metric: how far it moved in the mean, and at most. */
  readonly lead: string;

  /** The metric that moved most, and how far. */
  readonly most: string;
}

/**
 * The ages, with the figure that a reader looks for first and the one that moved most; `--json` has
 * all of them.
 */
function tableOfAges(ages: readonly AgeOfReports[], look: TableLook): string {
  const metrics = new Set(ages.flatMap(({ movements }) => Object.keys(movements)));
  const lead = leadingFirst(figuresOf([...metrics])).leading[0]?.field ?? '';

  const columns: TextColumn<AgeLine>[] = [
    { name: 'days after', value: ({ days }) => days, keep: true },
    { name: 'fetched again', value: ({ refetched }) => refetched, keep: true },
    { name: `${lead}: mean, most`, value: (line) => line.lead, keep: true },
    { name: 'moved most', value: ({ most }) => most, keep: true },
  ];
  return textTable(rowsOfAges(ages, lead), columns, look).trimEnd();
}

function rowsOfAges(ages: readonly AgeOfReports[], lead: string): AgeLine[] {
  const lastMoving = ages.findLastIndex(({ movements }) => mostOf(movements).most > 0);
  const lines = ages.slice(0, lastMoving + 1).map(({ ageDays, refetched, movements }): AgeLine => {
    const { metric, most } = mostOf(movements);
    const movement = movements[lead];
    return {
      days: String(ageDays),
      refetched,
      lead: movement ? `${percent(movement.mean)}, ${percent(movement.most)}` : '',
      most: most > 0 ? `${metric} ${percent(most)}` : 'nothing',
    };
  });

  const still = ages.slice(lastMoving + 1);
  const first = still[0]?.ageDays;
  const last = still.at(-1)?.ageDays;
  if (first === undefined || last === undefined) return lines;

  let refetched = 0;
  for (const age of still) refetched += age.refetched;
  const days = first === last ? String(first) : `${first} to ${last}`;
  return [...lines, { days, refetched, lead: '', most: 'nothing' }];
}

/** The metric that moved most. */
function mostOf(movements: AgeOfReports['movements']): { metric: string; most: number } {
  let greatest = { metric: '', most: 0 };
  for (const [metric, { most }] of Object.entries(movements)) {
    if (most > greatest.most) greatest = { metric, most };
  }
  return greatest;
}

function percent(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}
