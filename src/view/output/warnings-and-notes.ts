import { RefusedReportError } from '../../errors.ts';
import type { Context } from '../../run/context.ts';
import { printable } from '../../text/printable.ts';
import { formatCount, formatPlural, isOrAre } from '../../text/quantity.ts';
import { comparisonNote } from '../../totals/compared-report.ts';
import type { ReportMetric } from '../../totals/report-metrics.ts';
import type { Collected } from '../rows/collect.ts';
import { findDaySpan, uncoveredDayWarnings } from '../rows/rows-of-period.ts';
import type { Sources } from '../sources/find-sources.ts';
import { gapWarnings, notFinalNote } from '../sources/viewed-folder.ts';
import { cutGroupNote } from '../sources/whole-groups.ts';
import type { View } from '../view.ts';

/** Returns sentences on days that are missing or changed, and on values of files. */
export function viewWarnings(sources: Sources, { tails, warnings }: Collected): string[] {
  return [
    ...sources.warnings,
    ...sources.folders.flatMap((folder) => gapWarnings(folder, false)),
    ...sources.earlierFolders.flatMap((folder) => gapWarnings(folder, true)),
    ...uncoveredDayWarnings(sources, tails),
    ...warnings,
  ];
}

/**
 * Returns sentences on the window, on days that may still change, on weeks and months that are cut,
 * and on how files were read.
 */
export function viewNotes({
  sources: { folders, window, earlier },
  collected,
  options: { by, metrics },
  groups,
  byTime,
  figures,
}: Omit<View, 'warnings' | 'notes'>): string[] {
  const compared = earlier && window && comparisonNote(window);
  const notes: string[] = compared === undefined ? [] : [compared];
  if (collected.rowCount === 0) notes.push('The report has no rows.');
  for (const folder of folders) {
    const sentence = notFinalNote(folder);
    if (sentence !== undefined) notes.push(sentence);
  }
  const days = window ? undefined : findDaySpan(byTime);
  const cut = days && cutGroupNote(by ?? [], days);
  if (cut !== undefined) notes.push(cut);
  const unknown = collected.unknownNumbers.map((field) => printable(field));
  const isShown = (field: string): boolean => figures.some((figure) => figure.field === field);
  const added = unknown.filter(isShown);
  const left = by === undefined ? [] : unknown.filter((field) => !isShown(field));
  if (left.length > 0) {
    notes.push(`Not shown: ${left.join(', ')}. Name a column in --metrics to add it up.`);
  }
  if (added.length > 0) notes.push(`${added.join(', ')} ${isOrAre(added.length)} added up.`);
  if (metrics) notes.push(...missingNotes(groups, figures));
  return [...notes, ...collected.notes];
}

/** Returns sentences on rows that are left out of a rate, because they lack one of its metrics. */
function missingNotes(
  { missingCounts, rowCount }: View['groups'],
  figures: readonly ReportMetric[],
): string[] {
  const parts = figures.flatMap(({ derived }) => {
    return derived ? [derived.numeratorField, derived.denominatorField] : [];
  });
  const notes: string[] = [];
  for (const field of new Set(parts)) {
    const count = missingCounts.get(field) ?? 0;
    const have = count === 1 ? 'has' : 'have';
    if (count > 0)
      notes.push(`${formatCount(count)} of ${formatPlural(rowCount, 'row')} ${have} no ${field}.`);
  }
  return notes;
}

export function printWarningsAndNotes({ console }: Context, view: Omit<View, 'figures'>): void {
  const { groups, options, warnings, notes } = view;
  for (const sentence of warnings) console.warn(sentence);
  for (const note of notes) console.note(`Note: ${note}`);
  if (!options.by || groups.size !== 1 || groups.rowCount <= 1) return;

  const [onlyGroup] = groups;
  const emptyKeys = groups.by.filter((_, index) => onlyGroup?.key[index] === null);
  if (emptyKeys.length === 0) return;
  const names = emptyKeys.map(({ field }) => field).join(', ');
  console.warn(`No row has a value for ${names}: the report was not broken down by it.`);
}

export function strictViewError({ warnings, sources }: View): RefusedReportError {
  const update = sources.folders.length > 0 ? 'adreport update downloads days again. ' : '';
  return new RefusedReportError(warnings.join(' '), {
    hint: `${update}Without --strict this is a warning.`,
  });
}
