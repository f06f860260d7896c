import stringWidth from 'string-width';
import { formatDuration } from '../text/duration.ts';
import { formatBytes, formatPlural, formatShare } from '../text/quantity.ts';
import { type Canvas, drawRunning, drawShare, spinnerAt } from './progress-track.ts';

/** How a wait stands at the moment of drawing. */
export interface WaitFrame {
  readonly label: string;
  /** The service's own word; empty before the first answer. */
  readonly status: string;
  readonly waitedMs: number;
  readonly polls: number;
  /** Time left to the next status call; 0 while it is being made. */
  readonly nextPollMs: number;
}

/** How a download stands at the moment of drawing. */
export interface TransferFrame {
  readonly label: string;
  readonly elapsedMs: number;
  readonly bytes: number;
  readonly totalBytes: number | undefined;
  readonly rows: number | undefined;
  /** Undefined until there is enough to tell. */
  readonly bytesPerSecond: number | undefined;
}

/** How a run of many parts stands at the moment of drawing. */
export interface PartsFrame {
  readonly elapsedMs: number;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
}

/** One part of a line's right half; `reserve` cells are kept for it, so that a growing number moves nothing. */
interface Detail {
  readonly text: string;
  readonly reserve: number;
}

/** One way to fill a line: the fewest cells that its track may have (0: no track), and the details that go with it. */
interface Layout {
  readonly leastTrack: number;
  readonly details: readonly Detail[];
}

/**
 * A line that shows a wait whose end nobody knows: a segment that runs to and fro, never a share of an unknown whole.
 * At most `columns - 1` cells wide: the last column would make some terminals wrap.
 */
export function drawWait(frame: WaitFrame, canvas: Canvas): string {
  const status = detail(frame.status, 8);
  const waited = detail(elapsedText(frame.waitedMs), 8);
  const polls = detail(formatPlural(frame.polls, 'poll'), 9);
  const next = detail(frame.nextPollMs > 0 ? `next in ${secondsText(frame.nextPollMs)}` : 'asking', 12);
  const layouts: Layout[] = [
    { leastTrack: 12, details: [status, waited, polls, next] },
    { leastTrack: 8, details: [status, waited, next] },
    { leastTrack: 8, details: [status, waited] },
    { leastTrack: 0, details: [status, waited] },
    { leastTrack: 0, details: [waited] },
  ];
  return drawLine(frame.label, frame.waitedMs, layouts, (cells) => drawRunning(cells, frame.waitedMs, canvas), canvas);
}

/** A line that shows a download: a share of the whole where the size is known, else what has come so far. */
export function drawTransfer(frame: TransferFrame, canvas: Canvas): string {
  const { totalBytes } = frame;
  const layouts = totalBytes ? sharesOf(frame, totalBytes) : amountsOf(frame);
  const track = (cells: number): string =>
    totalBytes ? drawShare(cells, frame.bytes / totalBytes, canvas) : drawRunning(cells, frame.elapsedMs, canvas);
  return drawLine(frame.label, frame.elapsedMs, layouts, track, canvas);
}

/** One line for all the parts of a run that has too many of them for a line each. */
export function drawParts(frame: PartsFrame, canvas: Canvas): string {
  const { total, done, failed, running } = frame;
  const amount = detail(`${done} of ${total}`, 2 * String(total).length + 4);
  const under = detail(`${running} running`, 10);
  const lost = detail(failed > 0 ? `${failed} failed` : '', 0);
  const elapsed = detail(elapsedText(frame.elapsedMs), 8);
  const layouts: Layout[] = [
    { leastTrack: 12, details: [amount, under, lost, elapsed] },
    { leastTrack: 8, details: [amount, lost, elapsed] },
    { leastTrack: 0, details: [amount, lost] },
  ];
  const track = (cells: number): string => drawShare(cells, (done + failed) / total, canvas);
  return drawLine('Parts', frame.elapsedMs, layouts, track, canvas);
}

function sharesOf(frame: TransferFrame, totalBytes: number): Layout[] {
  const { bytes, bytesPerSecond } = frame;
  const percent = detail(`${Math.floor(Math.min(1, bytes / totalBytes) * 100)} %`.padStart(5), 5);
  const amount = detail(formatShare(bytes, totalBytes), 15);
  const leftMs = bytesPerSecond ? ((totalBytes - bytes) / bytesPerSecond) * 1_000 : 0;
  const left = detail(leftMs > 0 ? `${secondsText(leftMs)} left` : '', 12);
  return [
    { leastTrack: 12, details: [percent, amount, rateOf(frame), rowsOf(frame), left] },
    { leastTrack: 12, details: [percent, amount, rateOf(frame), left] },
    { leastTrack: 10, details: [percent, amount, left] },
    { leastTrack: 8, details: [percent, left] },
    { leastTrack: 8, details: [percent] },
    { leastTrack: 0, details: [percent] },
  ];
}

function amountsOf(frame: TransferFrame): Layout[] {
  const amount = detail(formatBytes(frame.bytes), 7);
  const elapsed = detail(elapsedText(frame.elapsedMs), 8);
  return [
    { leastTrack: 12, details: [amount, rateOf(frame), rowsOf(frame), elapsed] },
    { leastTrack: 8, details: [amount, rateOf(frame), elapsed] },
    { leastTrack: 0, details: [amount, elapsed] },
    { leastTrack: 0, details: [amount] },
  ];
}

function rateOf({ bytesPerSecond }: TransferFrame): Detail {
  return detail(bytesPerSecond === undefined ? '' : `${formatBytes(bytesPerSecond)}/s`, 9);
}

function rowsOf({ rows }: TransferFrame): Detail {
  return detail(rows === undefined ? '' : formatPlural(rows, 'row'), 12);
}

/** Time that runs, in one unit from the start: milliseconds would only flicker. */
function elapsedText(durationMs: number): string {
  return durationMs < 1_000 ? `${(durationMs / 1_000).toFixed(1)} s` : formatDuration(durationMs);
}

/** Time that is left, in whole seconds. */
function secondsText(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1_000);
  return seconds < 100 ? `${seconds} s` : formatDuration(seconds * 1_000);
}

function detail(text: string, reserve: number): Detail {
  return { text, reserve: Math.max(reserve, stringWidth(text)) };
}

const leastLabel = 12;
const mostTrack = 30;
const gap = '  ';

/** `⠹ label  ──━━━──  detail · detail`, in the first layout that leaves the label enough room; in the last the label gives way. */
function drawLine(
  label: string,
  elapsedMs: number,
  layouts: readonly Layout[],
  drawTrack: (cells: number) => string,
  { columns, style, showsUnicode }: Canvas,
): string {
  const room = Math.max(1, columns - 1);
  const labelWidth = stringWidth(label);
  const wanted = Math.min(labelWidth, Math.max(leastLabel, Math.floor(room / 3)));
  // What a layout leaves for the label and a longer track.
  const roomIn = ({ details, leastTrack }: Layout): number =>
    room - '⠹ '.length - (leastTrack && gap.length + leastTrack) - gap.length - widthOf(details);
  const layout = layouts.reduce((earlier, later) => (roomIn(earlier) >= wanted ? earlier : later));
  const { details, leastTrack } = layout;
  // The track grows before a long label does.
  const forLabel = leastTrack ? Math.max(wanted, roomIn(layout) + leastTrack - mostTrack) : roomIn(layout);
  const left = truncate(label, Math.min(forLabel, roomIn(layout)));
  const track = leastTrack && Math.min(mostTrack, leastTrack + roomIn(layout) - stringWidth(left));
  const spinner = spinnerAt(elapsedMs, showsUnicode);
  const texts = details.map(({ text }) => text).filter((text) => text !== '');
  const plain = [`${spinner} ${left}`, texts.join(' - ')].join(gap);
  if (track === 0 && stringWidth(plain) > room) return truncate(plain, room);
  const separator = style.dim(showsUnicode ? ' · ' : ' - ');
  const parts = [`${style.cyan(spinner)} ${style.bold(left)}`, track ? drawTrack(track) : '', texts.join(separator)];
  return parts.filter((part) => part !== '').join(gap);
}

function widthOf(details: readonly Detail[]): number {
  return details.reduce((sum, { reserve }) => sum + reserve, (details.length - 1) * ' · '.length);
}

/** The beginning of a text in at most `cells` cells, with an ellipsis for the rest. */
function truncate(text: string, cells: number): string {
  if (stringWidth(text) <= cells) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > cells - 1) break;
    kept += segment;
  }
  return cells < 1 ? '' : `${kept}…`;
}
