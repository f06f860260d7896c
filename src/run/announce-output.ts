import { type CardOptions, reportCard, totalLines } from '../present/terminal/report-card.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import type { GroupedTotals } from '../totals/grouped-totals.ts';
import type { Console } from '../ui/console.ts';

/** Formats `Wrote month.csv: 20 rows, 3 kB, in 2 s.` */
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
export function showMetrics(
  console: Console,
  metrics: GroupedTotals,
  options: CardOptions = {},
): void {
  const { isTerminal, width, style, showsUnicode } = console.err;
  const look = { width, style, unicode: showsUnicode };
  const lines = isTerminal ? reportCard(metrics, look, options) : totalLines(metrics, options);
  for (const line of lines) console.note(line);
}
