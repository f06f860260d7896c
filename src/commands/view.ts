import { InvalidArgumentError } from 'commander';
import type { Context } from '../context.ts';
import { tableLook } from '../deliver/deliver.ts';
import { UsageError } from '../errors.ts';
import {
  everyFigureOf,
  type Figure,
  figureDigits,
  figuresNamed,
  figuresOf,
  findFigure,
  leadingFirst,
} from '../figures/figures.ts';
import {
  type Group,
  Grouping,
  inTimeOrder,
  isTime,
  type KeyColumn,
  keyText,
  strangeValueNotes,
} from '../figures/grouping.ts';
import {
  fieldsNamed,
  figuresAsJson,
  groupsAsJson,
  objectOf,
  type RankedGroups,
  rankGroups,
  resolveKeys,
} from '../figures/ranked-groups.ts';
import { zoneText } from '../figures/window-text.ts';
import { encodeTable } from '../formats/index.ts';
import { membersInWords } from '../judge/member-words.ts';
import { ColumnPlan } from '../output/columns.ts';
import type { TableLook } from '../output/encoder.ts';
import { expectNoAddressToRead } from '../output/file/address.ts';
import { flagGroup, type OptionsOf } from '../plan/flags/flag.ts';
import { readPositive } from '../plan/flags/read-value.ts';
import { groupBars, groupLine, groupTable } from '../present/terminal/group-text.ts';
import { reportCard } from '../present/terminal/report-card.ts';
import { TerminalTable } from '../present/terminal/terminal-table.ts';
import { type ReportTail, type Row, type RowBatch, rowsOf } from '../rows/row-batch.ts';
import { wrap } from '../text/cell-width.ts';
import { nearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import { formatBytes, formatPlural } from '../text/quantity.ts';
import { matchesWildcard } from '../text/wildcard.ts';
import { type RowTaker, readReport } from '../view/read-file.ts';
import { declareCommand } from './command.ts';

/** A row must have one of the values in the column of that name. */
interface Condition {
  readonly name: string;
  readonly values: readonly string[];
}

const viewFlags = flagGroup('Options:', {
  by: {
    flags: '--by <a,b>',
    meaning:
      'add up by columns or breakdowns, e.g. COUNTRY or campaignName; MONTHLY also adds up days',
    read: parseNames,
  },
  metrics: {
    flags: '--metrics <a,b>',
    meaning: 'the figures to show; ctr, ecpmEuro, cpcEuro and the like are computed from sums',
    read: parseNames,
  },
  filter: {
    flags: '--filter <name=v1,v2>',
    meaning: "only rows with one of these values, e.g. 'campaign=Ski*'; repeatable",
    read: parseCondition,
    isRepeatable: true,
    otherNames: ['--where'],
  },
  sort: {
    flags: '--sort <column[:asc|desc]>',
    meaning:
      'order of the groups (default: time, else revenue or the first of --metrics, largest first)',
  },
  top: {
    flags: '--top <n>',
    meaning: 'the first n groups, and the sum of the others; without --by, how many rows to show',
    read: readPositive,
  },
  chart: {
    flags: '--chart <kind>',
    meaning: 'bars of groups, or a line over time',
    words: ['bar', 'line'],
    conflicts: ['format'],
  },
  format: {
    flags: '--format <name>',
    meaning: 'format of the sums (default: table on a terminal, csv in a pipe)',
    words: ['table', 'csv', 'json', 'ndjson'],
  },
});

type ViewOptions = OptionsOf<typeof viewFlags>;

export const viewCommand = declareCommand({
  name: 'view',
  args: ['<file>'],
  summary: 'show the figures of a report file: totals, groups, charts',
  introduction:
    'Reads JSON, NDJSON and CSV of any dialect with a header row, each also as .gz, and Parquet; - is stdin.',
  examples: [
    ['adreport view week.csv', 'its figures, and its first rows'],
    ['adreport view week.csv --by CAMPAIGN --sort ecpmEuro --top 10', 'the ten best campaigns'],
    ['adreport view week.csv --by COUNTRY --chart bar --metrics clicks', 'bars'],
    ['adreport view week.csv --chart line', 'revenue over time'],
    [
      'adreport run --local --period last-7d --by DAILY,OS | adreport view - --by os',
      'from a pipe',
    ],
    ['adreport view week.csv --by CAMPAIGN --format csv > campaigns.csv', 'sums to go on with'],
  ],
  flags: [viewFlags],
  async action({ context, options, args: [file] }) {
    expectNoAddressToRead(file, context.host.platform);
    await view(context, options, file);
    return 0;
  },
});

function parseNames(text: string): string[] {
  const items = text.split(',').map((name) => name.trim());
  const names = items.filter((name) => name !== '');
  if (names.length === 0) throw new InvalidArgumentError('Give names, with commas between them.');
  return names;
}

function parseCondition(text: string): Condition {
  const [, name, values = ''] = /^\s*([^=]+?)\s*=(.*)$/s.exec(text) ?? [];
  if (name === undefined) {
    throw new InvalidArgumentError("Give a name, = and values: 'country=France,Germany'.");
  }
  return { name, values: values.split(',').map((value) => value.trim()) };
}

/** How many rows a preview and how many bars a chart has, where no flag says it. */
const previewRows = 10;
const barsAtMost = 20;

/** How the figures are written; `document` is the one JSON object of `--json`. */
type Form = 'document' | 'table' | 'csv' | 'json' | 'ndjson';

/** What reading a report file once gives. */
interface ReadReport {
  readonly tail: ReportTail;
  readonly sizeBytes: number;

  /** The sums of the rows, those that `--filter` leaves, by time. */
  readonly byTime: Grouping;

  /** The sums of the same rows by what `--by` names; one group without it. */
  readonly groups: Grouping;

  /** The first rows as a table; empty where no preview is wanted. */
  readonly previewLines: readonly string[];
}

/** A report file that was read, and the flags that say what is shown of it. */
interface ReportView {
  /** As the user called it; `-` is stdin. */
  readonly file: string;
  readonly options: ViewOptions;
  readonly report: ReadReport;
  readonly ranked: RankedGroups;
}

async function view(context: Context, options: ViewOptions, file: string): Promise<void> {
  const form = chooseForm(context, options);
  const { by, chart, top } = options;
  const isPreview = form === 'table' && by === undefined && chart === undefined;
  checkOrder(options, isPreview);

  const rowsAtMost = isPreview ? (top ?? previewRows) : 0;
  const read = await readReport(context, file, () => {
    return new ReportReader(options, tableLook(context), rowsAtMost);
  });
  const report = read.taker.end(read.tail, read.sizeBytes);
  for (const warning of read.warnings) context.console.warn(warning);
  for (const note of read.notes) context.console.note(`Note: ${note}`);
  const ranked = rank(report.groups, options);
  warnOf(context, report, by !== undefined);
  const isFilteredOut = report.byTime.rowCount === 0 && report.tail.rowCount > 0;
  if (isFilteredOut) context.console.note(noMatchNote(read.taker.tests));

  const reportView: ReportView = { file, options, report, ranked };
  const text =
    form === 'table'
      ? textForPeople(context, reportView, rowsAtMost)
      : await textForPrograms(context, reportView, form);
  await context.console.write(text);
}

/** Throws `UsageError` for `--json` with a flag that names another form. */
function chooseForm({ console, flags }: Context, { chart, format }: ViewOptions): Form {
  if (flags.json) {
    const namesOther = chart !== undefined || (format ?? 'json') !== 'json';
    if (!namesOther) return 'document';
    throw new UsageError('--json writes all figures for programs, and has no other form.', {
      hint: 'Leave out --json, or --chart and --format.',
    });
  }

  if (chart) return 'table';
  return format ?? (console.out.isTerminal ? 'table' : 'csv');
}

/**
 * Throws `UsageError` where `--sort` or `--top` has no groups to choose from; `--top` counts the
 * rows of a preview.
 */
function checkOrder({ by, chart, sort, top }: ViewOptions, isPreview: boolean): void {
  const isOrdered = sort !== undefined || (top !== undefined && !isPreview);
  const hasGroups = by !== undefined && chart !== 'line';
  if (!isOrdered || hasGroups) return;

  throw new UsageError('--sort and --top are for groups, and this has none to choose from.', {
    hint: 'Add --by, for example --by CAMPAIGN; the figure of a line is chosen with --metrics.',
  });
}

/** A condition of `--filter` on the rows of a file. */
interface RowTest {
  matches(row: Row): boolean;

  /** The values that the rows have in its columns; of very many the first. */
  readonly values: ReadonlyMap<string, boolean>;
  readonly condition: Condition;
}

/**
 * Adds up the rows of a report while they go by, and keeps the lines of the first ones for a
 * preview.
 */
class ReportReader implements RowTaker {
  readonly #options: ViewOptions;

  /** How many rows the preview has; 0 where none is wanted. */
  readonly #rowsAtMost: number;
  readonly #byTime = new Grouping('time');
  readonly #plan = new ColumnPlan({});
  readonly #table: TerminalTable;
  readonly #previewLines: string[] = [];

  /**
   * The groups of `--by`, and the tests of `--filter`, once the first rows tell which columns there
   * are.
   */
  #groups: Grouping | undefined;
  #tests: readonly RowTest[] | undefined;

  constructor(options: ViewOptions, look: TableLook, rowsAtMost: number) {
    this.#options = options;
    this.#rowsAtMost = rowsAtMost;
    this.#table = new TerminalTable(this.#plan, { table: { ...look, totals: false } });
  }

  /** The tests of `--filter`. */
  get tests(): readonly RowTest[] {
    return this.#tests ?? [];
  }

  /** How many rows have passed them. */
  get rowCount(): number {
    return this.#byTime.rowCount;
  }

  /** True if rows are grouped or drawn by their time. */
  get needsDates(): boolean {
    return (
      this.#options.chart === 'line' || (this.#groups?.by ?? []).some(({ field }) => isTime(field))
    );
  }

  /** Throws `UsageError` where a flag names a column that the report does not have. */
  observe(batch: RowBatch, leftOut: ReadonlySet<number>): void {
    const tests = this.#settle(batch.fields);
    if (this.#plan.columns.length === 0) this.#plan.follow(batch);
    const rowsLeft = this.#rowsAtMost - this.rowCount;
    const needsRows = tests.length > 0 || rowsLeft > 0 || leftOut.size > 0;
    if (!needsRows) {
      this.#byTime.observeBatch(batch);
      this.#groups?.observeBatch(batch);
      return;
    }

    const rows = rowsOf(batch).filter((row, index) => {
      return !leftOut.has(batch.firstRow + index + 1) && tests.every((test) => test.matches(row));
    });
    if (rowsLeft > 0) {
      this.#previewLines.push(...this.#table.add(rows.slice(0, rowsLeft), batch.fields));
    }
    this.#byTime.observe(rows, batch.fields);
    this.#groups?.observe(rows, batch.fields);
  }

  /** What was read, once all rows have been. Throws as `observe`, for a report without rows. */
  end(tail: ReportTail, sizeBytes: number): ReadReport {
    this.#plan.settle(tail.fields);
    if (this.#rowsAtMost > 0) this.#previewLines.push(...this.#table.end());

    this.#settle(tail.fields);
    const groups = this.#groups ?? this.#groupsWithoutBy();
    return { tail, sizeBytes, byTime: this.#byTime, groups, previewLines: this.#previewLines };
  }

  /** Reads `--by` and `--filter` against the columns of the first rows, once; returns the tests. */
  #settle(fields: readonly string[]): readonly RowTest[] {
    const { by, filter = [] } = this.#options;
    if (this.#tests) return this.#tests;

    if (by) this.#groups = new Grouping(resolveKeys(by, fields));
    this.#tests = filter.map((condition) => testOf(condition, fields));
    return this.#tests;
  }

  /** A line follows the time of the rows; all else has one group. */
  #groupsWithoutBy(): Grouping {
    if (this.#options.chart === 'line') return this.#byTime;

    const total = new Grouping();
    total.absorb(this.#byTime);
    return total;
  }
}

/**
 * Whether a row has one of the values, in any case and with wildcards (`Ski*`); an empty value is
 * none.
 */
function testOf({ name, values }: Condition, fields: readonly string[]): RowTest {
  const columns = fieldsNamed(name, fields);

  const matches = new Map<string, boolean>();
  const isMatch = (text: string): boolean => {
    const isKnown = matches.get(text);
    if (isKnown !== undefined) return isKnown;

    const hasMatch = values.some((value) => value === text || matchesWildcard(value, text));
    if (matches.size < 100_000) matches.set(text, hasMatch);
    return hasMatch;
  };
  return {
    matches: (row) => columns.some((field) => isMatch(keyText(row[field]) ?? '')),
    values: matches,
    condition: { name, values },
  };
}

/** Says that no row matches, with the value that is nearest to what was typed. */
function noMatchNote(tests: readonly RowTest[]): string {
  const test = tests.find(({ values }) => ![...values.values()].includes(true)) ?? tests[0];
  if (!test) return 'No row matches --filter.';

  const { name, values: wanted } = test.condition;
  const known = [...test.values.keys()].filter((value) => value !== '');
  const near = wanted.map((value) => nearestValue(value, known)).find((value) => value);
  const typed = printable(`${name}=${wanted.join(',')}`);
  return `No row matches --filter ${typed}.${near ? ` Did you mean “${printable(near)}”?` : ''}`;
}

/** The value that is nearest to a text, or that has it within. */
function nearestValue(text: string, values: readonly string[]): string | undefined {
  const bare = text.replaceAll('*', '').trim().toLowerCase();
  if (bare === '') return undefined;
  const holding = values.find((value) => value.toLowerCase().includes(bare));
  return holding ?? nearest(bare, values);
}

function rank(groups: Grouping, { metrics, sort, top, chart }: ViewOptions): RankedGroups {
  const figures =
    metrics === undefined
      ? figuresToShow(groups, sort)
      : figuresNamed(metrics, everyFigureOf(groups.metrics));
  if (chart) checkChart(chart, groups.by);

  // Groups stand in the order of what leads, unless it is time.
  const lead = figureToDraw(figures, metrics);
  const usualOrder = hasTime(groups.by) ? undefined : lead?.field;
  const count = top ?? (chart === 'bar' ? barsAtMost : undefined);
  return rankGroups(groups, figures, { sort: sort ?? usualOrder, count });
}

/**
 * The figures where none is named, and the one that decides the order, where it is not among them.
 */
function figuresToShow({ metrics }: Grouping, sort: string | undefined): Figure[] {
  const figures = figuresOf(metrics);
  const sortName = sort?.replace(/:\w*$/, '').trim() ?? '';
  const sortFigure = findFigure(sortName, everyFigureOf(metrics));

  const isMissing = sortFigure && !figures.some(({ field }) => field === sortFigure.field);
  return isMissing ? [...figures, sortFigure] : figures;
}

function hasTime(keys: readonly KeyColumn[]): boolean {
  return keys.some(({ field }) => isTime(field));
}

/**
 * The figure of a chart: the first one that was named; else revenue, or what leads in its place.
 */
function figureToDraw(
  figures: readonly Figure[],
  metrics: readonly string[] | undefined,
): Figure | undefined {
  return metrics === undefined ? leadingFirst(figures).leading[0] : figures[0];
}

/**
 * Throws `UsageError` where a chart has nothing to draw: bars need groups, a line needs one key,
 * and that a time.
 */
function checkChart(chart: 'bar' | 'line', keys: readonly KeyColumn[]): void {
  const canDraw = chart === 'bar' ? keys.length > 0 : keys.length === 1 && hasTime(keys);
  if (canDraw) return;

  const needs = chart === 'bar' ? 'groups to compare' : 'days or hours to follow';
  throw new UsageError(`--chart ${chart} needs ${needs}, and these rows and flags give none.`, {
    hint: 'Add --by, for example --by CAMPAIGN for bars, --by DAILY for a line.',
  });
}

/** @param hasBy whether `--by` was given, so that a key without any value surprises */
function warnOf({ console }: Context, { byTime, groups }: ReadReport, hasBy: boolean): void {
  const metrics = byTime.metrics.map((field) => ({ field, name: field }));
  for (const sentence of strangeValueNotes(byTime, metrics)) console.warn(sentence);
  if (!hasBy || groups.size !== 1 || groups.rowCount <= 1) return;

  const [onlyGroup] = groups;
  const emptyKeys = groups.by.filter((_, index) => onlyGroup?.key[index] === null);
  if (emptyKeys.length === 0) return;
  const names = emptyKeys.map(({ field }) => field).join(', ');
  console.warn(`No row has a value for ${names}: the report was not broken down by it.`);
}

async function textForPrograms(
  { console }: Context,
  reportView: ReportView,
  form: Exclude<Form, 'table'>,
): Promise<string> {
  const { ranked } = reportView;
  if (form === 'document') return `${documentOf(reportView)}\n`;
  if (form === 'csv') return groupsAsCsv(ranked, console.out.isTerminal);

  const objects = groupsAsJson(ranked);
  if (form === 'json') return `[\n${objects.join(',\n')}\n]\n`;
  return objects.map((text) => `${text}\n`).join('');
}

/**
 * Groups as CSV, in the layout of a report's; nothing where there is neither a key nor a figure.
 */
async function groupsAsCsv(
  { all, figures, top }: RankedGroups,
  isTerminal: boolean,
): Promise<string> {
  const keyColumns = all.by.map(({ field }, index) => {
    return { name: field, value: ({ key }: Group) => key[index] };
  });
  const figureColumns = figures.map((figure) => {
    return { name: figure.field, value: ({ sums }: Group) => figureDigits(figure, sums) };
  });

  const columns = [...keyColumns, ...figureColumns];
  if (columns.length === 0) return '';
  const bytes = await encodeTable('csv', top, columns, { csv: { shown: isTerminal } });
  return bytes.toString();
}

/** What a file may say of its report beside its rows. */
const memberNames = ['request', 'key', 'reportId', 'fetchedAt', 'warnings'];

function memberOf({ members }: ReportTail, name: string): string | undefined {
  return members.find((member) => member.name === name)?.json.toString();
}

/** All figures as one JSON object. */
function documentOf({ file, report, ranked }: ReportView): string {
  const { tail, sizeBytes, groups } = report;
  return objectOf([
    { name: 'file', json: JSON.stringify(file) },
    { name: 'rowCount', json: String(groups.rowCount) },
    { name: 'sizeBytes', json: String(sizeBytes) },
    { name: 'summary', json: JSON.stringify(tail.summary ?? null) },
    ...memberNames.map((name) => ({ name, json: memberOf(tail, name) ?? 'null' })),
    { name: 'by', json: JSON.stringify(groups.by.map(({ field }) => field)) },
    { name: 'totals', json: objectOf(figuresAsJson(ranked.figures, groups.totals())) },
    { name: 'groups', json: `[${groupsAsJson(ranked).join(',')}]` },
    { name: 'otherGroupCount', json: String(ranked.others?.count ?? 0) },
  ]);
}

/**
 * What the file is called, its figures, its groups or first rows, and last what it says of its
 * report.
 */
function textForPeople(context: Context, reportView: ReportView, rowsAtMost: number): string {
  const { file, options, report, ranked } = reportView;
  const look = tableLook(context);
  const fields = options.metrics && ranked.figures.map(({ field }) => field);

  const lines = [headText(file, report, look)];
  lines.push(...reportCard(report.byTime, look, { fields }), '');
  if (rowsAtMost > 0) lines.push(...previewLines(report, rowsAtMost, look));
  else lines.push(...groupLines(context, reportView, look));
  const about = aboutLines(report, look);
  if (about.length > 0) lines.push('', ...about);
  return `${lines.join('\n').trimEnd()}\n`;
}

/** The name of the file, how much is in it, and of which days. */
function headText(file: string, report: ReadReport, look: TableLook): string {
  const { style, width = Number.POSITIVE_INFINITY } = look;
  const { summary } = report.tail;
  const name = `${file === '-' ? 'stdin' : printable(file)}:`;
  const facts = [formatPlural(report.byTime.rowCount, 'row'), formatBytes(report.sizeBytes)];

  const days = daysOf(report);
  if (days !== '') facts.push(printable(days));
  const zone = summary ? ` (${printable(zoneText(summary.timezone))})` : '';

  const text = `${style?.bold(name) ?? name} ${facts.join(', ')}${zone}`;
  return wrap(text, width - 2).join('\n  ');
}

/** What the file says of its report: the request, its id and key, its warnings. */
function aboutLines({ tail }: ReadReport, look: TableLook): string[] {
  const { width = Number.POSITIVE_INFINITY } = look;
  const sentences = membersInWords(tail.members);
  return sentences.map((sentence) => `  ${wrap(printable(sentence), width - 2).join('\n  ')}`);
}

/**
 * The first and the last day, of which the summary tells, else the rows; empty where neither does.
 */
function daysOf({ tail, byTime }: ReadReport): string {
  const points = inTimeOrder(byTime);
  const since = tail.summary ? tail.summary.since : points[0]?.time;
  const until = tail.summary ? tail.summary.until : points.at(-1)?.time;
  if (since === undefined || until === undefined) return '';

  const firstDay = since.slice(0, 10);
  const lastDay = until.slice(0, 10);
  return firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`;
}

/** The first rows, and how many more there are. */
function previewLines(report: ReadReport, rowsAtMost: number, look: TableLook): readonly string[] {
  const moreRows = report.byTime.rowCount - rowsAtMost;
  if (moreRows <= 0) return report.previewLines;

  const { width = Number.POSITIVE_INFINITY, unicode } = look;
  const mark = unicode === false ? '...' : '…';
  const count = formatPlural(moreRows, 'more row');
  const rest = `${mark} and ${count}. Add up with --by, or see more with --top.`;
  return [...report.previewLines, ...wrap(rest, width)];
}

function groupLines(
  { console }: Context,
  { ranked, options }: ReportView,
  look: TableLook,
): readonly string[] {
  const { chart, metrics } = options;
  if (chart === undefined) return groupTable(ranked, look, console.note);

  const sortedBy = metrics === undefined ? ranked.sortedBy : undefined;
  const figure = sortedBy ?? figureToDraw(ranked.figures, metrics);
  if (!figure) throw new UsageError('--chart needs a metric, and the report has none.');
  return chart === 'bar' ? groupBars(ranked, figure, look) : groupLine(ranked, figure, look);
}
