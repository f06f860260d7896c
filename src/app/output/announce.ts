import type { Context } from '../../context.ts';
import { formatDuration } from '../../text/duration.ts';
import type { Figures } from '../../view/figures.ts';
import type { Delivered } from './delivery.ts';

/** Says on stderr what was written where, with its figures where they were counted; nothing for stdout, where the result speaks. */
export async function announce(context: Context, delivered: Delivered): Promise<void> {
  await announceFile(context, delivered);
  if (delivered.figures) await showCard(context, delivered.figures);
}

/** Says on stderr what was written where; nothing for stdout, where the result speaks. */
export async function announceFile({ console, elapsedMs }: Context, delivered: Delivered): Promise<void> {
  const { rowCount, sizeBytes, file } = delivered;
  if (file === undefined) return;
  const { formatBytes, formatPlural } = await import('../../text/quantity.ts');
  const size = `${formatPlural(rowCount, 'row')}, ${formatBytes(sizeBytes)}, in ${formatDuration(elapsedMs())}`;
  console.note(`Wrote ${file}: ${size}.`);
}

/** Shows the figures of what was written as a card on stderr, as wide as the terminal there. */
export async function showCard({ console }: Context, figures: Figures): Promise<void> {
  const { reportCard } = await import('../../output/table/report-card.ts');
  const { columns, style, showsUnicode } = console.err;
  for (const line of reportCard(figures, { columns, style, unicode: showsUnicode })) console.note(line);
}
