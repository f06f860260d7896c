import type { Context } from '../context.ts';
import { FindingsError } from '../errors.ts';
import { type Grouping, strangeValueNotes } from '../figures/grouping.ts';
import type { GatheredRows } from './files/gather.ts';
import { daysOfRows, daysOutside } from './rows-of-period.ts';
import { cutGroupNote } from './select-days.ts';
import type { Sources } from './sources/find-sources.ts';
import { gapSentences, openSentence } from './sources/gap-sentences.ts';
import type { View } from './view.ts';

/** Sentences on days that are missing or changed. */
export function warningsOfView(sources: Sources, { tails }: GatheredRows): string[] {
  return [
    ...sources.warnings,
    ...sources.folders.flatMap((folder) => gapSentences(folder, false)),
    ...sources.earlierFolders.flatMap((folder) => gapSentences(folder, true)),
    ...daysOutside(sources, tails),
  ];
}

/** Sentences on the window, on days that may still change, and on weeks and months that are cut. */
export function notesOfView(
  { folders, window }: Sources,
  { by, byTime }: { readonly by: readonly string[]; readonly byTime: Grouping },
): string[] {
  const notes: string[] = [...(window?.notes ?? [])];
  for (const folder of folders) {
    const sentence = openSentence(folder);
    if (sentence !== undefined) notes.push(sentence);
  }
  const days = window ? undefined : daysOfRows(byTime);
  const cut = days && cutGroupNote(by, days);
  if (cut !== undefined) notes.push(cut);
  return notes;
}

export function printRemarks({ console }: Context, view: Omit<View, 'figures'>): void {
  const { gathered, groups, byTime, options, warnings, notes } = view;
  for (const sentence of [...warnings, ...gathered.warnings]) console.warn(sentence);
  for (const note of [...notes, ...gathered.notes]) console.note(`Note: ${note}`);

  const metrics = byTime.metrics.map((field) => ({ field, name: field }));
  for (const sentence of strangeValueNotes(byTime, metrics)) console.warn(sentence);
  if (!options.by || groups.size !== 1 || groups.rowCount <= 1) return;

  const [onlyGroup] = groups;
  const emptyKeys = groups.by.filter((_, index) => onlyGroup?.key[index] === null);
  if (emptyKeys.length === 0) return;
  const names = emptyKeys.map(({ field }) => field).join(', ');
  console.warn(`No row has a value for ${names}: the report was not broken down by it.`);
}

export function isIncomplete(warnings: readonly string[]): FindingsError {
  const findings = warnings.map((message) => ({ kind: 'rows' as const, message }));
  return new FindingsError(findings, {
    hint: 'adreport repair downloads the days again. Without --strict this is a warning.',
  });
}
