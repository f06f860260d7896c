import { type CardOptions, reportCard, totalLines } from '../present/terminal/report-card.ts';
import { visibleJson } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import type { Comparison } from '../totals/figures.ts';
import type { Grouping } from '../totals/grouping.ts';
import type { Console } from '../ui/console.ts';
import type { Delivery } from './deliver.ts';
import type { DeliveryTools } from './output-tools.ts';
import type { CompleteOutput } from './write-output.ts';

interface AnnouncedOutput extends CompleteOutput {
  readonly byTime: Grouping;
  readonly comparison: Comparison | undefined;
}

interface AnnounceTools extends Pick<DeliveryTools, 'console' | 'flags'> {
  readonly elapsedMs: () => number;
}

/** Prints a file that was written, and its totals; with `--json` an object on stdout. */
export async function announceOutput(
  { console, flags, elapsedMs }: AnnounceTools,
  { file, wholeFile, rows, byTime, comparison }: AnnouncedOutput,
  delivery: Delivery,
): Promise<void> {
  if (file === undefined) return;
  const { rowCount, tail, checkResult } = rows;
  const sizeBytes = wholeFile?.sizeBytes ?? rows.sizeBytes;
  if (flags.json) {
    const { since = null, until = null } = tail.summary ?? {};
    const notes = checkResult.notes.map(({ message }) => message);
    const facts = { file, rows: rowCount, bytes: sizeBytes, sha256: wholeFile?.sha256 };
    await console.result(visibleJson({ ...facts, since, until, notes }));
  }
  console.note(writtenMessage({ file, rowCount, sizeBytes, elapsedMs }));
  const { labels } = delivery.encoding;
  if (delivery.printsTotals) showFigures(console, byTime, { comparison, labels });
}

export function writtenMessage({
  file,
  rowCount,
  sizeBytes,
  elapsedMs,
}: {
  readonly file: string;
  readonly rowCount: number;
  readonly sizeBytes: number;
  readonly elapsedMs: () => number;
}): string {
  const size = `${formatPlural(rowCount, 'row')}, ${formatBytes(sizeBytes)}`;
  return `Wrote ${file}: ${size}, in ${formatDuration(elapsedMs())}.`;
}

/**
 * Prints the metrics of an output on stderr: on a terminal as a card as wide as the terminal,
 * elsewhere as lines.
 */
export function showFigures(console: Console, figures: Grouping, options: CardOptions = {}): void {
  const { isTerminal, width, style, showsUnicode } = console.err;
  const look = { width, style, unicode: showsUnicode };
  const lines = isTerminal ? reportCard(figures, look, options) : totalLines(figures, options);
  for (const line of lines) console.note(line);
}
