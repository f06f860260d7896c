import { columnsOf } from '../../contract/columns.ts';
import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import type { DimensionName } from '../../contract/vocabulary.ts';
import { dimensionNames, isTimeBreakdown } from '../fixtures/facts.ts';
import type { Account, Fixtures } from '../fixtures/fixtures.ts';
import { type Calendar, createCalendar } from './calendar.ts';
import { createExclusion } from './exclusion.ts';
import { Grouping } from './grouping.ts';
import { layOutKey } from './key.ts';
import { Pace } from './pace.ts';
import { type Ranking, rankMembers } from './ranking.ts';
import { Restatement } from './restatement.ts';
import { selectMembers } from './selection.ts';
import type { ReportTable, RowBatch } from './table.ts';

/** When a report is computed, and for how long. */
export interface ReportContext {
  /** The server's clock. */
  readonly nowMs: number;
  /** How many days the conversions and the revenue of a day take to be complete; 0: complete at once. */
  readonly restateDays: number;
  readonly signal?: AbortSignal;
}

/** What a report's rows are made from, settled once. */
interface Plan {
  readonly fixtures: Fixtures;
  readonly account: Account;
  readonly request: ReportRequest;
  readonly context: ReportContext;
  readonly calendar: Calendar;
  readonly dimensions: readonly { readonly name: DimensionName; readonly ranking: Ranking }[];
}

/**
 * A report of an account over the facts (`decisions.md` 2, 4, 5 and 7), computed while it is read.
 * The request must be valid for the account's profile. Reading pauses for other work every 20 ms, and its memory grows
 * with the rows of the largest hour, day or month, never with the facts or the length of the window. It throws the reason
 * of `context.signal` once that is aborted.
 */
export function computeReport(
  fixtures: Fixtures,
  account: Account,
  request: ReportRequest,
  context: ReportContext,
): ReportTable {
  const { profile } = account;
  const zone = (profile === 'dsp' && request.timezone) || defaultZone;
  const calendar = createCalendar(zone);
  const dimensions = dimensionNames
    .filter((name) => request.breakdowns.includes(name))
    .map((name) => ({ name, ranking: rankMembers(fixtures.facts, name) }));
  return {
    profile,
    columns: columnsOf(profile, request),
    summary: {
      since: calendar.localTime(request.since),
      until: calendar.localTime(request.until),
      breakdowns: request.breakdowns,
      timezone: profile === 'dsp' ? zone : zone.toLowerCase(),
    },
    dimensions: dimensions.map(({ name, ranking }) => ({ name, members: ranking.members })),
    metrics: request.metrics,
    batches: () => computeBatches({ fixtures, account, request, context, calendar, dimensions }),
  };
}

/** The rows of each stretch of time, in order; a stretch without rows is left out. */
async function* computeBatches(plan: Plan): AsyncGenerator<RowBatch> {
  const { request, context, calendar, dimensions } = plan;
  const { facts } = plan.fixtures;
  const wanted = selectMembers(facts, plan.account, request);
  const restatement = new Restatement(context.restateDays, context.nowMs);
  const grouping = new Grouping(layOutKey(dimensions), request.metrics);
  const exclude = createExclusion(wanted);
  const reader = facts.open({
    dimensions: [...new Set([...dimensions.map(({ name }) => name), ...wanted.keys()])],
    wanted,
  });
  context.signal?.throwIfAborted();
  const pace = new Pace(context.signal);
  for (const bucket of calendar.buckets(request.breakdowns.find(isTimeBreakdown), request, facts)) {
    for (const { firstHour, lastHour, age } of restatement.stretches(bucket.firstHour, bucket.lastHour)) {
      for (const chunk of reader.read(firstHour, lastHour)) {
        grouping.add(restatement.known(chunk, age), exclude(chunk));
        if (pace.due) await pace.rest();
      }
    }
    const rows = grouping.take();
    if (rows.count > 0) yield { ...rows, time: bucket.labels };
    // Hours without facts take time too, and there may be a million of them.
    if (pace.due) await pace.rest();
  }
}
