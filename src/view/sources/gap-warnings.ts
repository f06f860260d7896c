import { formatPlural } from '../../text/quantity.ts';
import { specOf } from './folder-series.ts';
import type { FolderUnits, Gap } from './folder-units.ts';

const gapTexts: Readonly<Record<Gap, readonly [one: string, several: string]>> = {
  missing: ['is missing', 'are missing'],
  changed: ['has changed since its download', 'have changed since their download'],
  untracked: ['is not in the history', 'are not in the history'],
  foreign: ['is from a different request', 'are from a different request'],
  unreadable: ['cannot be read', 'cannot be read'],
};

const maxNamedDays = 5;

/**
 * Returns sentences on the units that are left out: `3 of 31 days are missing (2026-10-04, …).`
 *
 * @param isEarlier for the earlier period of a comparison
 */
export function gapWarnings(
  { viewed, gaps, unitCount }: FolderUnits,
  isEarlier: boolean,
): string[] {
  const { split } = specOf(viewed);
  const sentences: string[] = [];
  for (const [gap, [one, several]] of Object.entries(gapTexts)) {
    const days = gaps.get(gap as Gap) ?? [];
    if (days.length === 0) continue;
    const more = days.length > maxNamedDays ? ', …' : '';
    const list = `${days.slice(0, maxNamedDays).join(', ')}${more}`;
    const period = isEarlier ? ' in the period before' : '';
    const of = `${days.length} of ${formatPlural(unitCount, split)}${period}`;
    sentences.push(`${of} ${days.length === 1 ? one : several} (${list}).`);
  }
  return sentences;
}

/** Returns a sentence on files that the service may still correct; `undefined` if all are final. */
export function notFinalNote({ viewed, openCount, files }: FolderUnits): string | undefined {
  if (openCount === 0) return undefined;
  const { split } = specOf(viewed);
  const rest = openCount === 1 ? 'is not final: its numbers' : 'are not final: their numbers';
  return `${openCount} of ${formatPlural(files.length, split)} ${rest} may still change.`;
}
