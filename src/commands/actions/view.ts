import { tableLook } from '../../app/output-flags.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { groupsAsCsv, groupsAsJson, objectOf } from '../../view/group-rows.ts';
import { digitsOfFigure, type RankedGroups, rankGroups } from '../../view/ranked-groups.ts';
import { strangeNotice } from '../../view/strange-values.ts';
import { type FigureColumn, isTime, resolveFigures } from '../../view/view-columns.ts';
import type { ViewOptions } from '../view.ts';
import { type ReadFile, readFile } from './view/view-file.ts';
import { viewText } from './view/view-text.ts';

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
  const rowsAtMost = isPreviewed ? (options.top ?? previewRows) : 0;
  const read = await readFile(context, file, {
    by: options.chart === 'line' ? by : (by ?? []),
    preview: { rowCount: rowsAtMost, look },
  });
  const ranked = rank(read, options);
  warnOf(context, read, by !== undefined);
  if (by === undefined && options.chart === undefined) warnOfOrder(context, options, isPreviewed);
  if (context.flags.json) return console.result(jsonOf(file, read, ranked));
  if (format === 'csv') return console.write(await groupsAsCsv(ranked));
  if (format === 'json') return console.result(`[\n${groupsAsJson(ranked).join(',\n')}\n]`);
  if (format === 'ndjson') return console.write(groupsAsJson(ranked).map(asLine).join(''));
  await console.write(viewText(console, { file, read, ranked, options, look, rowsAtMost }));
}

function asLine(text: string): string {
  return `${text}\n`;
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

function warnOf({ console }: Context, { groups, keys, tail }: ReadFile, wasAsked: boolean): void {
  for (const [field, count] of groups.strangeCounts) {
    console.warn(strangeNotice(field, count));
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
