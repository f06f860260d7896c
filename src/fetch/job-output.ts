import { resolve } from 'node:path';
import type { Bookkeeper } from '../archive/keeper.ts';
import type { Context } from '../context.ts';
import { type Job, outputOf } from '../plan/plan.ts';
import type { Part } from '../report/parts.ts';
import { compareReport, planEarlier } from './compare.ts';
import type { ReportTools } from './order.ts';
import { type PreparedOutput, prepareOutput } from './write-report.ts';

/**
 * Settles the output of a part, or without a part that of all parts of a job; with `--compare` the
 * earlier report is fetched first. Throws as `prepareOutput` and `planEarlier`.
 */
export async function prepareJobOutput(
  context: Context,
  tools: ReportTools,
  job: Job,
  part?: Part,
): Promise<PreparedOutput> {
  const { plan, accountName, keeper, label, name, spec } = job;
  const { window } = part ?? plan;
  const earlier = planEarlier(context, job, window);
  const output = await prepareOutput(context, job.options, outputOf(job, part));
  await keeper?.start();
  const compared = earlier && (await compareReport(tools, { job, now: window, earlier }));

  return {
    ...output,
    earlierFindings: [...output.earlierFindings, ...(compared?.findings ?? [])],
    label: { report: name ?? null, account: accountName, job: label },
    spec,
    book: part && keeper && bookingOf(context, keeper, part),
    comparison: compared?.comparison,
  };
}

/** What notes the file of a part in the books of its folder. */
function bookingOf(
  { host }: Pick<Context, 'host'>,
  keeper: Bookkeeper,
  { window }: Part,
): PreparedOutput['book'] {
  return ({ file, ...report }) => {
    const name = keeper.nameOf(resolve(host.cwd, file));
    return keeper.book({ ...report, name, window });
  };
}
