import type { Context } from '../context.ts';
import { WarningsError } from '../errors.ts';
import type { Grouping } from '../figures/grouping.ts';
import type { GatheredRows } from './files/gather.ts';
import { daysOfRows, daysOutside } from './rows-of-period.ts';
import { cutGroupNote } from './select-days.ts';
import type { Sources } from './sources/find-sources.ts';
import { gapSentences, openSentence } from './sources/gap-sentences.ts';
import type { View } from './view.ts';

/** Sentences on days that are missing or changed, and on values of files. */
export function warningsOfView(sources: Sources, { tails, warnings }: GatheredRows): string[] {
  return [
    ...sources.warnings,
    ...sources.folders.flatMap((folder) => gapSentences(folder, false)),
    ...sources.earlierFolders.flatMap((folder) => gapSentences(folder, true)),
    ...daysOutside(sources, tails),
    ...warnings,
  ];
}

/**
 * Sentences on the window, on days that may still change, on weeks and months that are cut, and on
 * how files were read.
 */
export function notesOfView(
  { folders, window }: Sources,
  gathered: GatheredRows,
  { by, byTime }: { readonly by: readonly string[]; readonly byTime: Grouping },
): string[] {
  const notes: string[] = [...(window?.notes ?? [])];
  if (gathered.rowCount === 0) notes.push('The report has no rows.');
  for (const folder of folders) {
    const sentence = openSentence(folder);
    if (sentence !== undefined) notes.push(sentence);
  }
  const days = window ? undefined : daysOfRows(byTime);
  const cut = days && cutGroupNote(by, days);
  if (cut !== undefined) notes.push(cut);
  return [...notes, ...gathered.notes];
}

export function printRemarks({ console }: Context, view: Omit<View, 'figures'>): void {
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

/** The error of `--strict` for the warnings of a view. */
export function isIncomplete({ warnings, sources }: View): WarningsError {
  const incomplete = warnings.map((message) => ({ kind: 'rows' as const, message }));
  const repair = sources.folders.length > 0 ? 'adreport repair downloads days again. ' : '';
  return new WarningsError(incomplete, { hint: `${repair}Without --strict this is a warning.` });
}
