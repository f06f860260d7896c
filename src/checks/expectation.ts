import type { Column } from '../contract/columns.ts';
import type { WindowClock } from '../contract/messages.ts';
import type { BreakdownName, Profile } from '../contract/vocabulary.ts';
import { breakdownsToSend } from '../query/body.ts';
import type { Window } from '../query/calendar.ts';
import { columnsOfQuery } from '../query/columns.ts';
import type { Part, Query } from '../query/query.ts';

/** What a report should contain. */
export interface Expectation {
  readonly profile: Profile;
  readonly window: Window;
  readonly breakdowns: readonly BreakdownName[];
  readonly columns: readonly Column[];
  readonly filters?: Query['filters'];

  /** How the ends of the window were sent; `instant` if absent. */
  readonly windowClock?: WindowClock;
}

/** Returns what the report of a part should contain. */
export function expectationOf(part: Part): Expectation {
  const { profile, breakdowns, filters, windowClock } = part.query;
  return {
    profile,
    window: part,
    breakdowns: breakdownsToSend(breakdowns),
    columns: columnsOfQuery(part.query),
    filters,
    windowClock,
  };
}
