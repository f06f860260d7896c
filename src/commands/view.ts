import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import { tableLook } from '../app/deliver.ts';
import { flagGroup, type OptionsOf } from '../app/flags/flag.ts';
import { readPositive } from '../app/flags/read-value.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { ColumnPlan } from '../output/columns.ts';
import { type TableLook, writeRows } from '../output/encoder.ts';
import { encodeTable } from '../output/formats/index.ts';
import { ReportTable } from '../output/formats/table.ts';
import { groupBars, groupLine, groupTable } from '../output/table/group-text.ts';
import { reportCard } from '../output/table/report-card.ts';
import { openReportFile, readReportStream } from '../rows/report-file.ts';
import { type Row, type RowBatch, rowsOf } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { formatBytes, formatPlural } from '../text/quantity.ts';
import { wrap } from '../ui/page.ts';
import { figureDigits, figuresNamed, figuresOf } from '../view/figures.ts';
import {
  type Group,
  Grouping,
  inTimeOrder,
  isTime,
  keyText,
  strangeNotices,
} from '../view/grouping.ts';
import {
  fieldsNamed,
  figuresAsJson,
  groupsAsJson,
  objectOf,
  type RankedGroups,
  rankGroups,
  resolveKeys,
} from '../view/ranked-groups.ts';
import { declareCommand } from './command.ts';

/** A row must have one of the values in the column of that name. */
type Condition = Readonly<{ name: string; values: readonly string[] }>;

const viewFlags = flagGroup('Options:', {
  by: {
    flags: '--by <a,b>',
    meaning: 'add up by columns or breakdowns, e.g. COUNTRY or campaignName; MONTHLY of days too',
    read: parseNames,
  },
  metrics: {
    flags: '--metrics <a,b>',
    meaning: 'the figures to show; ctr, ecpmEuro and ecpmDollar are computed from sums',
    read: parseNames,
  },
  where: {
    flags: '--where <name=v1,v2>',
    meaning: 'only rows with one of these values; repeatable',
    read: parseCondition,
    isRepeatable: true,
  },
  sort: {
    flags: '--sort <column[:asc|desc]>',
    meaning: 'order of the groups (default: time, else the first figure, largest first)',
  },
  top: {
    flags: '--top <n>',
    meaning: 'only the first n groups, others as one; without --by, how many rows to show',
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
    meaning: 'of what was added up (default: table on a terminal, csv in a pipe)',
    words: ['table', 'csv', 'json', 'ndjson'],
  },
});

type ViewOptions = OptionsOf<typeof viewFlags>;

export const viewCommand = declareCommand({
  name: 'view',
  args: ['<file>'],
  summary: 'the figures of a report file: totals, groups, charts',
  introduction:
    'Reads JSON, NDJSON, CSV of any dialect with a header row, each also as .gz, Parquet and the xlsx of adreport; - is stdin.\n',
  examples: [
    ['adreport view week.csv', 'its figures, and its first rows'],
    ['adreport view week.csv --by CAMPAIGN --sort ecpmEuro --top 10', 'the ten best campaigns'],
    ['adreport view week.csv --by COUNTRY --chart bar --metrics clicks', 'bars'],
    ['adreport view week.csv --chart line', 'the first metric over time'],
    [
      'adreport run --local --period last-7d --by DAILY,OS | adreport view - --by os',
      'from a pipe',
    ],
    ['adreport view week.csv --by CAMPAIGN --format csv > campaigns.csv', 'sums to go on with'],
  ],
  flags: [viewFlags],
  async action({ context, options, args: [file] }) {
    await view(context, options, file);
    return 0;
  },
});

function parseNames(text: string): string[] {
  const names = text.split(',').flatMap((name) => name.trim() || []);
  if (names.length === 0) throw new InvalidArgumentError('Give names, with commas between them.');
  return names;
}

function parseCondition(text: string): Condition {
  const [, name, values = ''] = /^\s*([^=]+?)\s*=(.*)$/s.exec(text) ?? [];
  if (name === undefined)
    throw new InvalidArgumentError("Give a name, = and values: 'country=France,Germany'.");
  return { name, values: values.split(',').map((value) => value.trim()) };
}

/** How many rows a preview and how many bars a chart has, where no flag says it. */
const previewRows = 10;
const barsAtMost = 20;

/** What reading a file once gave; `preview` are its first rows as a table, empty where none were wanted. */
type ReadFile = Awaited<ReturnType<typeof readFile>>;

async function view(context: Context, options: ViewOptions, file: string): Promise<void> {
  const { console, flags } = context;
  const { by, chart, metrics, sort, top } = options;
  if (flags.json && (chart !== undefined || (options.format ?? 'json') !== 'json')) {
    const hint = 'Leave out --json, or --chart and --format.';
    throw new UsageError('--json writes all figures for programs, and has no other form.', {
      hint,
    });
  }
  const format = chart ? 'table' : (options.format ?? (console.out.isTerminal ? 'table' : 'csv'));
  const isPreview = format === 'table' && !flags.json && by === undefined && chart === undefined;
  const isOrdered = sort !== undefined || (top !== undefined && !isPreview);
  if (isOrdered && (by === undefined || chart === 'line')) {
    const hint =
      'Add --by, for example --by CAMPAIGN; the figure of a line is chosen with --metrics.';
    throw new UsageError('--sort and --top are for groups, and this has none to choose from.', {
      hint,
    });
  }
  const look = tableLook(context);
  const rowsAtMost = isPreview ? (top ?? previewRows) : 0;
  const read = await readFile(context, file, options, rowsAtMost);
  const ranked = rank(read.groups, options);
  warnOf(context, read, by !== undefined);
  if (flags.json) return console.result(jsonOf(file, read, ranked));
  if (format === 'csv') return console.write(await groupsAsCsv(ranked, console.out.isTerminal));
  const objects = groupsAsJson(ranked);
  if (format === 'json') return console.result(`[\n${objects.join(',\n')}\n]`);
  if (format === 'ndjson') return console.write(objects.map((text) => `${text}\n`).join(''));
  const only = metrics && ranked.figures.map(({ field }) => field);
  const more = read.figures.rowCount - rowsAtMost;
  const mark = look.unicode === false ? '...' : '…';
  const rest = `${mark} and ${formatPlural(more, 'more row')}. Add up with --by, or see more with --top.`;
  const preview =
    more > 0
      ? [...read.preview, ...wrap(rest, look.width ?? Number.POSITIVE_INFINITY)]
      : read.preview;
  const below = isPreview ? preview : groupText(context, ranked, options, look);
  const lines = [
    headText(file, read, look),
    ...reportCard(read.figures, look, { fields: only }),
    '',
    ...below,
  ];
  return console.write(`${lines.join('\n').trimEnd()}\n`);
}

/** Reads a report file, or stdin for `-`, once, in constant memory. Throws `UsageError` and `IncompleteDataError`. */
async function readFile(
  context: Context,
  name: string,
  { by, where = [], chart }: ViewOptions,
  rowsAtMost: number,
) {
  const { stdin, signal, cwd } = context.host;
  const source =
    name === '-'
      ? readReportStream(addAbortSignal(signal, stdin), 'stdin')
      : await openReportFile(resolve(cwd, name), name);
  const meter = (await context.progress()).transfer('Reading', source.sizeBytes);
  const figures = new Grouping('time');
  const plan = new ColumnPlan({});
  const table = new ReportTable(plan, { table: { ...tableLook(context), totals: false } });
  const preview: string[] = [];
  let settled: ReturnType<typeof settle> | undefined;
  const settle = (fields: readonly string[]) => ({
    groups: by && new Grouping(resolveKeys(by, fields)),
    tests: where.map(({ name, values }) => {
      const columns = fieldsNamed(name, fields);
      // In any case; an empty value is none.
      const wanted = new Set(values.map((value) => value.toLowerCase()));
      return (row: Row) =>
        columns.some((field) => wanted.has((keyText(row[field]) ?? '').toLowerCase()));
    }),
  });
  const encode = (batch: RowBatch) => {
    signal.throwIfAborted();
    settled ??= settle(batch.fields);
    const { groups, tests } = settled;
    const rows = rowsOf(batch).filter((row) => tests.every((test) => test(row)));
    const wanted = rowsAtMost - figures.rowCount;
    if (plan.columns.length === 0) plan.follow(batch);
    if (wanted > 0) preview.push(...table.add(rows.slice(0, wanted), batch.fields));
    figures.observe(rows, batch.fields);
    groups?.observe(rows, batch.fields);
    meter.update({ bytes: source.readBytes(), rows: figures.rowCount });
    return [];
  };
  try {
    const { tail } = await writeRows(source.batches, { encode, end: () => [] }, { write() {} });
    plan.settle(tail.fields);
    if (rowsAtMost > 0) preview.push(...table.end());
    // Without --by there is one group, and a line follows the time of the rows.
    const groups =
      (settled ?? settle(tail.fields)).groups ?? (chart === 'line' ? figures : new Grouping());
    if (!by && chart !== 'line') groups.absorb(figures);
    return { tail, sizeBytes: source.sizeBytes ?? source.readBytes(), figures, groups, preview };
  } finally {
    meter.stop();
  }
}

function rank(groups: Grouping, { metrics, sort, top, chart }: ViewOptions): RankedGroups {
  const keys = groups.by;
  const known = figuresOf(groups.metrics);
  const figures = metrics === undefined ? known : figuresNamed(metrics, known);
  const hasTime = keys.some(({ field }) => isTime(field));
  if (chart && !(chart === 'bar' ? keys.length > 0 : keys.length === 1 && hasTime)) {
    const needs = chart === 'bar' ? 'groups to compare' : 'days or hours to follow';
    const hint = 'Add --by, for example --by CAMPAIGN for bars, --by DAILY for a line.';
    throw new UsageError(`--chart ${chart} needs ${needs}, and these rows and flags give none.`, {
      hint,
    });
  }
  if (chart !== 'bar') return rankGroups(groups, figures, { sort, count: top });
  // Bars stand in the order of what they show, unless it is time.
  const barOrder = sort ?? (hasTime ? undefined : figures[0]?.field);
  return rankGroups(groups, figures, { sort: barOrder, count: top ?? barsAtMost });
}

function warnOf({ console }: Context, { figures, groups }: ReadFile, wasAsked: boolean): void {
  const metrics = figures.metrics.map((field) => ({ field, name: field }));
  for (const notice of strangeNotices(figures, metrics)) console.warn(notice);
  const [only] = groups.size === 1 ? groups : [];
  const missing = groups.by.filter((_, i) => only?.key[i] === null).map(({ field }) => field);
  if (wasAsked && groups.rowCount > 1 && missing.length > 0) {
    console.warn(
      `No row has a value for ${missing.join(', ')}: the report was not broken down by it.`,
    );
  }
}

/** Groups as CSV, in the layout of a report's; nothing where there is neither a key nor a figure. */
async function groupsAsCsv(
  { all, figures, top }: RankedGroups,
  isTerminal: boolean,
): Promise<string> {
  const columns = [
    ...all.by.map(({ field }, i) => ({ name: field, value: ({ key }: Group) => key[i] })),
    ...figures.map((figure) => ({
      name: figure.field,
      value: ({ sums }: Group) => figureDigits(figure, sums),
    })),
  ];
  if (columns.length === 0) return '';
  return (await encodeTable('csv', top, columns, { csv: { shown: isTerminal } })).toString();
}

function jsonOf(file: string, { tail, sizeBytes, groups }: ReadFile, ranked: RankedGroups): string {
  return objectOf([
    { name: 'file', json: JSON.stringify(file) },
    { name: 'rowCount', json: String(groups.rowCount) },
    { name: 'sizeBytes', json: String(sizeBytes) },
    { name: 'summary', json: JSON.stringify(tail.summary ?? null) },
    { name: 'by', json: JSON.stringify(groups.by.map(({ field }) => field)) },
    { name: 'totals', json: objectOf(figuresAsJson(ranked.figures, groups.totals())) },
    { name: 'groups', json: `[${groupsAsJson(ranked).join(',')}]` },
    { name: 'otherGroupCount', json: String(ranked.others?.count ?? 0) },
  ]);
}

function headText(
  file: string,
  { tail: { summary }, sizeBytes, figures }: ReadFile,
  look: TableLook,
): string {
  const { style, width = Number.POSITIVE_INFINITY } = look;
  const points = inTimeOrder(figures);
  const times = summary ? [summary.since, summary.until] : [points[0]?.time, points.at(-1)?.time];
  const span = [...new Set(times.flatMap((time) => time?.slice(0, 10) ?? []))].join(' to ');
  const name = `${file === '-' ? 'stdin' : printable(file)}:`;
  const counts = `${formatPlural(figures.rowCount, 'row')}, ${formatBytes(sizeBytes)}`;
  const facts = `${counts}${span && `, ${printable(span)}`}${summary ? ` (${printable(summary.timezone)})` : ''}`;
  return wrap(`${name} ${facts}`, width - 2)
    .join('\n  ')
    .replace(name, (text) => style?.bold(text) ?? text);
}

function groupText(
  { console }: Context,
  ranked: RankedGroups,
  { chart, metrics }: ViewOptions,
  look: TableLook,
) {
  if (chart === undefined) return groupTable(ranked, look, console.note);
  const sorted = metrics === undefined ? ranked.sortedBy : undefined;
  const figure = sorted ?? ranked.figures[0];
  if (!figure) throw new UsageError('--chart needs a metric, and the report has none.');
  return chart === 'bar' ? groupBars(ranked, figure, look) : groupLine(ranked, figure, look);
}
