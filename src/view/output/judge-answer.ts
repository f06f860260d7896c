import { factsOfFile, ReportCheck } from '../../checks/report-check.ts';
import type { RowWatcher } from '../../output/encoder.ts';
import type { Expectation } from '../../report/expectation.ts';
import { sentBreakdowns, type ViewAnswer } from '../answer/answer.ts';
import type { View } from '../view.ts';
import type { ViewTools } from '../view-tools.ts';

/** Judges an answer like a report from the service, if its request is known. */
export function watcherOf({ host }: ViewTools, view: View, answer: ViewAnswer): RowWatcher {
  const { sources, warnings, notes } = view;
  const breakdowns = sentBreakdowns(answer.breakdowns);
  const { spec, window } = sources;
  const nowMs = host.wallClock();
  const expectation: Expectation | undefined =
    spec && window && breakdowns && answer.leftOut === undefined
      ? { profile: spec.request.profile, window, breakdowns, columns: answer.columns }
      : undefined;
  const check = new ReportCheck({
    expectation,
    answer: factsOfFile,
    origin: { createdMs: nowMs },
    nowMs,
  });
  return {
    observe: (batch) => check.observe(batch),
    close(tail) {
      const own = [...warnings, ...notes];
      const judged = expectation ? check.close(tail).notes : [];
      const others = judged.filter(({ message }) => !own.includes(message));
      const remarks = own.map((message) => ({ kind: 'rows' as const, message }));
      return { warnings: [], notes: [...remarks, ...others] };
    },
  };
}
