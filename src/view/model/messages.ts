import { listSourceFields } from '../../query/metrics.ts';
import { printable } from '../../text/printable.ts';
import { chooseHave } from '../../text/quantity.ts';
import { formatComparisonNote } from '../../totals/comparison.ts';
import type { View } from './view.ts';

/** A view before its messages are known. */
type Messages = Omit<View, 'warnings' | 'notes'>;

/** Lists warnings about totals among the rows and about missing columns. */
export function listValueWarnings(view: Messages): string[] {
  const { files } = view.read;
  const warnings: string[] = [];
  for (const { source, warnings: ofFile } of files) {
    const start = files.length === 1 ? '' : `${source.displayPath}: `;
    for (const sentence of ofFile) warnings.push(start + sentence);
  }
  return [...warnings, ...listAbsentMetrics(view)];
}

/** Lists warnings about metrics that only some files have. */
function listAbsentMetrics({ read: { files }, metrics }: Messages): string[] {
  const withRows = files.filter(({ tail }) => tail.rowCount > 0);
  const shown = new Set(metrics.flatMap(listSourceFields));
  const warnings: string[] = [];
  for (const field of shown) {
    const absent = withRows.filter(({ fields }) => !fields.includes(field)).length;
    if (absent === 0 || absent === withRows.length) continue;
    warnings.push(
      `${absent} of ${withRows.length} files ${chooseHave(absent)} no ${printable(field)}.`,
    );
  }
  return warnings;
}

/** Lists notes about the period, days that are not final, and rates that exclude rows. */
export function listNotes(view: Messages): string[] {
  const { options, sources, read, window, byTime } = view;
  const compared = sources.earlier && window && formatComparisonNote(window);
  const notes = compared === undefined ? [] : [compared];
  const hasRows = read.files.some(({ tail }) => tail.rowCount > 0);
  if (!hasRows) notes.push('The report has no rows.');
  if (hasRows && byTime.rowCount === 0 && options.filter) notes.push('No row matches --filter.');
  notes.push(...sources.notes);
  const hasRates = options.metrics !== undefined || view.rows === undefined;
  return hasRates ? [...notes, ...listIncompleteRates(view)] : notes;
}

/** Lists notes about rates that exclude rows, because the rows lack a metric. */
function listIncompleteRates({ groups: { incompleteMetrics }, metrics }: Messages): string[] {
  const parts = new Set(metrics.filter(({ computed }) => computed).flatMap(listSourceFields));
  const lacking = [...parts].filter((field) => incompleteMetrics.has(field));
  return lacking.map((field) => `Rates exclude rows without ${field}.`);
}
