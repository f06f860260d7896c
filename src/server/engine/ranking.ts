import { findBreakdown } from '../../contract/look-up.ts';
import type { DimensionName, RowField } from '../../contract/vocabulary.ts';
import type { FactSource, Member } from '../fixtures/facts.ts';

/** The members of a dimension in the order of rows. */
export interface Ranking {
  readonly members: readonly Member[];
  /** The place in `members` of each code of the fact source. */
  readonly rankOf: Int32Array;
}

const rankings = new WeakMap<readonly Member[], Ranking>();

/**
 * Ranks the members of a dimension by their row fields: ids as numbers, text by code unit, null last; members that look
 * the same by their ids.
 */
export function rankMembers(facts: FactSource, name: DimensionName): Ranking {
  const members = facts.members[name];
  const known = rankings.get(members);
  if (known) return known;
  const fields = findBreakdown(name)?.fields ?? [];
  const codes = members.map((_, code) => code);
  codes.sort((a, b) => compareMembers(fields, members[a], members[b]));
  const rankOf = new Int32Array(members.length);
  for (const [rank, code] of codes.entries()) rankOf[code] = rank;
  const ranking = { members: codes.flatMap((code) => members[code] ?? []), rankOf };
  rankings.set(members, ranking);
  return ranking;
}

function compareMembers(fields: readonly RowField[], a: Member | undefined, b: Member | undefined): number {
  for (const [index, { type }] of fields.entries()) {
    const order = compareValues(type === 'id', a?.values[index] ?? null, b?.values[index] ?? null);
    if (order !== 0) return order;
  }
  return compareValues(true, a?.id ?? null, b?.id ?? null);
}

/** Digits compare as numbers of any length, and by code unit where those are equal (`7`, `007`). */
function compareValues(digits: boolean, a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  if (digits) {
    const [short, long] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
    if (short.length !== long.length) return short.length - long.length;
    if (short !== long) return short < long ? -1 : 1;
  }
  return a < b ? -1 : 1;
}
