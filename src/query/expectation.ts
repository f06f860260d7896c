import { type Column, requestedColumns } from '../contract/columns.ts';
import type { ReportRequest, WindowClock } from '../contract/messages.ts';
import type { BreakdownName, Profile } from '../contract/vocabulary.ts';
import type { Window } from './calendar.ts';
import type { ReportPlan } from './request.ts';

/** Content of a report according to its request. */
export interface Expectation {
  readonly profile: Profile;

  readonly window: Window;

  readonly breakdowns: readonly BreakdownName[];

  readonly columns: readonly Column[];

  readonly filters?: ReportRequest['filters'];

  /** How the ends of the window were sent; `instant` if absent. */
  readonly windowClock?: WindowClock;
}

/** Returns the content that was requested. */
export function expectationOf(plan: ReportPlan): Expectation {
  const { profile, request, window, windowClock, shownMetrics } = plan;
  const { breakdowns, filters } = request;
  const columns = requestedColumns(profile, request, shownMetrics);
  return { profile, window, windowClock, breakdowns, columns, filters };
}
