import type { Context } from '../../context.ts';
import { printable } from '../../contract/printable.ts';
import { UsageError } from '../../errors.ts';
import type { TableLook } from '../../output/encoder.ts';
import { groupsAsCsv, groupsAsJson, objectOf } from '../../output/group/group-rows.ts';
import { groupBars, groupLine, groupTable } from '../../output/group/group-table.ts';
import { digitsOfFigure, type RankedGroups, rankGroups } from '../../output/group/ranked-groups.ts';
import { type FigureColumn, figureNamed, isTime, resolveFigures } from '../../output/group/view-columns.ts';
import { reportCard } from '../../output/table/report-card.ts';
import { widthOf } from '../../output/table/table-layout.ts';
import { wrap } from '../../ui/page.ts';
import { formatBytes, formatCount, formatPlural } from '../../ui/quantity.ts';
import { tableLook } from '../steps/output/output-flags.ts';
import type { ViewOptions } from '../view.ts';
import { type ReadFile, readFile } from './view/view-file.ts';

/** Rows of the preview, and bars of a chart, where nothing else is said. */
const previewRows = 10;
const barsAtMost = 20;

/** Shows the figures of a report file: as a card, groups, a chart, or rows to go on with. */
export async function view(context: Context, options: ViewOptions, file: string): Promise<void> {
  const { console } = context;
  const format = formatOf(context, options);
  const by = options.by === undefined ? undefined : listOf('--by', options.by);
  const look = tableLook(context);
  const isPreviewed = format === 'table' && by === undefined && options.chart === undefined;
  const read = await readFile(context, file, {
    by: options.chart === 'line' ? by : (by ?? []),
    preview: { rowCount: isPreviewed ? (options.top ?? previewRows) : 0, look },
  });
  const ranked = rank(read, options);
  warnOf(context, read, by !== undefined);
  if (by === undefined && options.chart === undefined) warnOfOrder(context, options, isPreviewed);
  if (context.flags.json) return console.result(jsonOf(file, read, ranked));
  if (format === 'csv') return console.write(await groupsAsCsv(ranked));
  if (format === 'ndjson')
    return console.write(
      groupsAsJson(ranked)
        .map((row) => `${row}\n`)
        .join(''),
    );
  if (format === 'json') return console.result(`[\n${groupsAsJson(ranked).join(',\n')}\n]`);
  const only = options.metrics === undefined ? undefined : ranked.figures.map(({ field }) => field);
  const card = [headOf(file, read, look), ...reportCard(read.figures, look, only)];
  const below = isPreviewed ? previewOf(read, options, look) : groupText(context, ranked, options, look);
  await console.write(`${[...card, '', ...below].join('\n').trimEnd()}\n`);
}

/** The form of the result. Throws `UsageError` for flags that do not go together. */
function formatOf({ console, flags }: Context, { format, chart, sort, top }: ViewOptions) {
  const other = flags.json ? '--json' : format !== undefined && format !== 'table' ? `--format ${format}` : undefined;
  if (chart !== undefined && other !== undefined) {
    throw new UsageError(`--chart draws for people, and ${other} writes for programs.`, { hint: 'Leave one out.' });
  }
  if (flags.json && format !== undefined && format !== 'json') {
    throw new UsageError(`--json and --format ${format} contradict each other.`, { hint: 'Leave one out.' });
  }
  if (chart === 'line' && (sort !== undefined || top !== undefined)) {
    throw new UsageError('A line runs through all times in their order: --sort and --top do not go with it.', {
      hint: 'Choose its figure with --metrics.',
    });
  }
  return chart !== undefined ? 'table' : (format ?? (console.out.isTerminal || flags.json ? 'table' : 'csv'));
}

function rank({ groups, keys }: ReadFile, { metrics, sort, top, chart }: ViewOptions): RankedGroups {
  const known = resolveFigures(undefined, groups.metrics);
  const figures = resolveFigures(metrics === undefined ? undefined : listOf('--metrics', metrics), groups.metrics);
  if (chart === 'bar' && keys.length === 0) {
    throw new UsageError('--chart bar compares groups, and nothing says which.', {
      hint: 'Add --by, for example --by CAMPAIGN.',
    });
  }
  if (chart === 'line' && (keys.length !== 1 || !isTime(keys[0]?.field ?? ''))) {
    throw new UsageError('--chart line needs days or hours, and these rows have none that it could follow.', {
      hint: 'Give it a report with a time breakdown, --by DAILY or nothing; --chart bar compares other groups.',
    });
  }
  const best = chart === 'bar' ? { sort: sort ?? sortOf(figures, keys), top: top ?? barsAtMost } : { sort, top };
  return rankGroups(groups, { keys, figures, known, ...best });
}

/** Bars stand in the order of what they show, unless it is time. */
function sortOf([first]: readonly FigureColumn[], keys: RankedGroups['keys']): string | undefined {
  return first && !keys.some(({ field }) => isTime(field)) ? first.field : undefined;
}

function groupText(context: Context, ranked: RankedGroups, options: ViewOptions, look: TableLook): readonly string[] {
  const { chart, metrics } = options;
  if (chart === undefined) {
    const { lines, dropped } = groupTable(ranked, look);
    if (dropped.length > 0) {
      const hint = 'Choose with --metrics, or see all with --format csv.';
      context.console.note(`Not shown, for lack of room: ${dropped.join(', ')}. ${hint}`);
    }
    return lines;
  }
  const sorted = metrics === undefined ? ranked.figures.find(({ field }) => field === ranked.sortField) : undefined;
  const figure = sorted ?? ranked.figures[0] ?? figureNamed('', [], '--metrics');
  return chart === 'bar' ? groupBars(ranked, figure, look) : groupLine(ranked, figure, look);
}

function previewOf({ tail, preview }: ReadFile, { top = previewRows }: ViewOptions, look: TableLook): string[] {
  const more = tail.rowCount - top;
  const mark = look.unicode === false ? '...' : '…';
  const rest = `${mark} and ${formatPlural(more, 'more row')}. Add up with --by, or see more with --top.`;
  return [preview.trimEnd(), ...(more > 0 ? wrap(rest, look.columns ?? Number.POSITIVE_INFINITY) : [])];
}

function headOf(file: string, { tail, sizeBytes, figures }: ReadFile, look: TableLook): string {
  const { style, columns = Number.POSITIVE_INFINITY } = look;
  const { summary, rowCount } = tail;
  const times = [figures.points[0]?.time, figures.points.at(-1)?.time].map((time) => time?.slice(0, 10));
  const [from, to] = summary ? [summary.since.slice(0, 10), summary.until.slice(0, 10)] : times;
  const span = from === undefined ? [] : [printable(from === to ? from : `${from} to ${to}`)];
  const zone = summary ? ` (${printable(summary.timezone)})` : '';
  const name = file === '-' ? 'stdin' : printable(file);
  const counts = `${formatPlural(rowCount, 'row')}, ${formatBytes(sizeBytes)}`;
  const facts = `${[counts, ...span].join(', ')}${zone}`;
  const head = `${style?.bold(name) ?? name}:`;
  const nameWidth = widthOf(`${name}: `);
  if (nameWidth + facts.length <= columns) return `${head} ${facts}`;
  // The times move to a line of their own, or all of it does.
  const isBeside = nameWidth + counts.length <= columns;
  const below = isBeside ? `${span.join('')}${zone}` : facts;
  return [isBeside ? `${head} ${counts}` : head, ...wrap(below.trim(), columns - 2).map((line) => `  ${line}`)].join(
    '\n',
  );
}

function warnOf({ console }: Context, { groups, keys, tail }: ReadFile, wasAsked: boolean): void {
  for (const [field, count] of groups.strangeCounts) {
    const what = count === 1 ? '1 value' : `${formatCount(count)} values`;
    console.warn(`${what} of ${field} ${count === 1 ? 'is no number, and is' : 'are no numbers, and are'} in no sum.`);
  }
  const [only] = groups.size === 1 ? groups : [];
  const missing = keys.filter((_, i) => only?.key[i] === null).map(({ field }) => field);
  if (wasAsked && tail.rowCount > 1 && missing.length > 0) {
    console.warn(`No row has a value for ${missing.join(', ')}: the report was not broken down by it.`);
  }
}

/** Says which flags have nothing to do where there are no groups; the rows of the preview are the first. */
function warnOfOrder({ console }: Context, { sort, top }: ViewOptions, isPreviewed: boolean): void {
  const idle = [...(sort === undefined ? [] : ['--sort']), ...(top === undefined || isPreviewed ? [] : ['--top'])];
  if (idle.length > 0) console.warn(`Without --by there are no groups: ${idle.join(' and ')} changed nothing.`);
}

/** The whole of it for programs; sums keep every digit. */
function jsonOf(file: string, { tail, sizeBytes }: ReadFile, ranked: RankedGroups): string {
  const totals = ranked.figures.map(
    (figure) => [figure.field, digitsOfFigure(figure, ranked.total) ?? 'null'] as const,
  );
  return objectOf([
    ['file', JSON.stringify(file)],
    ['rowCount', String(tail.rowCount)],
    ['sizeBytes', String(sizeBytes)],
    ['summary', JSON.stringify(tail.summary ?? null)],
    ['by', JSON.stringify(ranked.keys.map(({ field }) => field))],
    ['totals', objectOf(totals)],
    ['groups', `[${groupsAsJson(ranked).join(',')}]`],
    ['otherGroupCount', String(ranked.others?.count ?? 0)],
  ]);
}

/** The names in a flag's value. Throws `UsageError` where there are none. */
function listOf(flag: string, value: string): string[] {
  const names = value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0)
    throw new UsageError(`${flag} names no column.`, { hint: 'Leave it out, or give some, with commas between them.' });
  return names;
}
