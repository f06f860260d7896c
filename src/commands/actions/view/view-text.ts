import type { TableLook } from '../../../output/encoder.ts';
import { reportCard } from '../../../output/table/report-card.ts';
import { widthOf } from '../../../output/table/table-layout.ts';
import { printable } from '../../../text/printable.ts';
import { formatBytes, formatPlural } from '../../../text/quantity.ts';
import type { Console } from '../../../ui/console.ts';
import { wrap } from '../../../ui/page.ts';
import { groupBars, groupLine, groupTable } from '../../../view/group-text.ts';
import type { RankedGroups } from '../../../view/ranked-groups.ts';
import { figureNamed } from '../../../view/view-columns.ts';
import type { ViewOptions } from '../../view.ts';
import type { ReadFile } from './view-file.ts';

/** What `view` has read, and how it is to look. */
export interface Shown {
  /** As the user named it; `-` for stdin. */
  readonly file: string;
  readonly read: ReadFile;
  readonly ranked: RankedGroups;
  readonly options: ViewOptions;
  readonly look: TableLook;
  /** How many rows the preview holds; 0 where groups or a chart are shown in its place. */
  readonly rowsAtMost: number;
}

/** What `view` shows to people: a card of the file's figures, and below it the first rows, the groups or a chart. */
export function viewText(console: Console, shown: Shown): string {
  const { read, ranked, options, look, rowsAtMost } = shown;
  const only = options.metrics === undefined ? undefined : ranked.figures.map(({ field }) => field);
  const card = [headText(shown), ...reportCard(read.figures, look, only)];
  const below = rowsAtMost > 0 ? previewText(shown) : groupText(console, shown);
  return `${[...card, '', ...below].join('\n').trimEnd()}\n`;
}

/** What the file is: its name, size and times, on one line where they fit. */
function headText({ file, read: { tail, sizeBytes, figures }, look }: Shown): string {
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

function previewText({ read: { tail, preview }, rowsAtMost, look }: Shown): readonly string[] {
  const more = tail.rowCount - rowsAtMost;
  const mark = look.unicode === false ? '...' : '…';
  const rest = `${mark} and ${formatPlural(more, 'more row')}. Add up with --by, or see more with --top.`;
  return [preview.trimEnd(), ...(more > 0 ? wrap(rest, look.columns ?? Number.POSITIVE_INFINITY) : [])];
}

function groupText(console: Console, { ranked, options, look }: Shown): readonly string[] {
  const { chart, metrics } = options;
  if (chart === undefined) {
    const { lines, dropped } = groupTable(ranked, look);
    if (dropped.length > 0) {
      const hint = 'Choose with --metrics, or see all with --format csv.';
      console.note(`Not shown, for lack of room: ${dropped.join(', ')}. ${hint}`);
    }
    return lines;
  }
  const sorted = metrics === undefined ? ranked.figures.find(({ field }) => field === ranked.sortField) : undefined;
  const figure = sorted ?? ranked.figures[0] ?? figureNamed('', [], '--metrics');
  return chart === 'bar' ? groupBars(ranked, figure, look) : groupLine(ranked, figure, look);
}
