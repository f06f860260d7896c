import type { ReportRequest } from '../../contract/messages.ts';
import { type DimensionName, type Filter, filters } from '../../contract/vocabulary.ts';
import type { FactSource, Member, Wanted } from '../fixtures/facts.ts';
import type { Account } from '../fixtures/fixtures.ts';

/**
 * Which members of which dimensions a report is about: the account's advertisers, then its filters. Filters of different
 * names are and-ed, the values of one or-ed; ids compare as strings of digits, text by exact name (`decisions.md` 2).
 */
export function selectMembers(facts: FactSource, account: Account, request: ReportRequest): Wanted {
  const wanted = new Map<DimensionName, Uint8Array>();
  const narrow = (name: DimensionName, passes: (member: Member) => boolean): void => {
    const members = facts.members[name];
    const before = wanted.get(name);
    wanted.set(
      name,
      Uint8Array.from(members, (member, code) => (before?.[code] !== 0 && passes(member) ? 1 : 0)),
    );
  };
  if (!account.admin) {
    const advertisers = new Set(account.advertiserIds);
    narrow('ADVERTISER', ({ id }) => id !== null && advertisers.has(id));
  }
  for (const { name, on, compare } of filters as readonly Filter[]) {
    const values = request.filters[name];
    if (!values) continue;
    const accepted = new Set<string | null>(values);
    narrow(on, ({ id, values: [text] }) => accepted.has((compare === 'id' ? id : text) ?? null));
  }
  return wanted;
}
