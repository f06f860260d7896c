import type { RunOptions } from '../../commands/run.ts';
import type { Context } from '../../context.ts';
import { columnsOf } from '../../contract/columns.ts';
import { expandName, type NameValues } from '../../output/file/file-name.ts';
import type { Part } from '../../report/parts/parts.ts';
import type { Window } from '../../report/window/window.ts';
import type { ReportFacts } from '../output/delivery.ts';
import type { ProfilePlan } from './plan-report.ts';

/** One report to run: whole, or in parts. */
export interface Job {
  /** The saved report's name; absent for what flags alone describe. */
  readonly name: string | undefined;
  /** That of the report's account. */
  readonly context: Context;
  readonly options: RunOptions;
  readonly plan: ProfilePlan;
  /** What the placeholders of `-o` stand for. */
  readonly names: NameValues;
  /** What is to be fetched, in time order. */
  readonly parts: readonly Part[];
  /** How many parts there are with those whose files are there already. */
  readonly partCount: number;
  /** Whether the parts go into one output, rather than each into its own. */
  readonly isMerged: boolean;
}

/** The file of a part as the user names it, with `{id}` where only the service knows it; `undefined` for stdout. */
export function fileOf(job: Job, part: Part): string | undefined {
  const { output } = job.options;
  return output === undefined || output === '-' ? undefined : expandName(output, { ...namesOf(job, part), id: '{id}' });
}

/** What is known of a part that has an output of its own. */
export function factsOf(job: Job, part: Part): ReportFacts {
  return describe(job, namesOf(job, part), part.window);
}

/** What is known of the output that all parts go into. A shard of them lacks the days of the others, as it should. */
export function mergedFactsOf(job: Job): ReportFacts {
  return describe(job, job.names, job.options.shard === undefined ? job.plan.window : undefined);
}

/** @param complete the window of which no time may be missing, where that can be told */
function describe({ plan, options }: Job, names: NameValues, complete: Window | undefined): ReportFacts {
  const { breakdowns } = plan.request;
  const columns = columnsOf(plan.profile, plan.request);
  const facts = { names, columns, strict: options.strict ?? false };
  return complete ? { ...facts, expectation: { window: complete, breakdowns, columns } } : facts;
}

/** What the placeholders of `-o` stand for in the file name of a part; a merged output is named for the whole window. */
function namesOf({ names, isMerged }: Job, { since, until }: Part): NameValues {
  return isMerged ? names : { ...names, since, until, date: since };
}
