import { printable } from '../../text/printable.ts';
import { hasOrHave } from '../../text/quantity.ts';
import { formatComparisonNote } from '../../totals/comparison.ts';
import { fieldsToSum } from '../rows/used-columns.ts';
import type { View } from './view.ts';

/** The parts of a view that messages are about. */
type Messages = Omit<View, 'warnings' | 'notes'>;

/** Returns warnings about values of files: totals among rows, and columns that are missing. */
export function valueWarnings(view: Messages): string[] {
  const { files } = view.read;
  const warnings: string[] = [];
  for (const { source, warnings: ofFile } of files) {
    const start = files.length === 1 ? '' : `${source.shown}: `;
    for (const sentence of ofFile) warnings.push(start + sentence);
  }
  return [...warnings, ...absentMetrics(view)];
}

/** Returns warnings about metrics that only some files have. */
function absentMetrics({ read: { files }, metrics }: Messages): string[] {
  const withRows = files.filter(({ tail }) => tail.rowCount > 0);
  const shown = new Set(metrics.flatMap(fieldsToSum));
  const warnings: string[] = [];
  for (const field of shown) {
    const absent = withRows.filter(({ fields }) => !fields.includes(field)).length;
    if (absent === 0 || absent === withRows.length) continue;
    warnings.push(
      `${absent} of ${withRows.length} files ${hasOrHave(absent)} no ${printable(field)}.`,
    );
  }
  return warnings;
}

/** Returns notes about the period, days that are not final, and rows left out of rates. */
export function viewNotes(view: Messages): string[] {
  const { options, sources, read, window, byTime } = view;
  const compared = sources.earlier && window && formatComparisonNote(window);
  const notes = compared === undefined ? [] : [compared];
  const hasRows = read.files.some(({ tail }) => tail.rowCount > 0);
  if (!hasRows) notes.push('The report has no rows.');
  if (hasRows && byTime.rowCount === 0 && options.filter) notes.push('No row matches --filter.');
  notes.push(...sources.notes);
  const hasRates = options.metrics !== undefined || view.rows === undefined;
  return hasRates ? [...notes, ...incompleteRates(view)] : notes;
}

/** Returns notes about rows left out of a rate because they lack one of its metrics. */
function incompleteRates({ groups: { incompleteMetrics }, metrics }: Messages): string[] {
  const parts = new Set(metrics.filter(({ derived }) => derived).flatMap(fieldsToSum));
  const lacking = [...parts].filter((field) => incompleteMetrics.has(field));
  return lacking.map((field) => `Rates leave out the rows without ${field}.`);
}
