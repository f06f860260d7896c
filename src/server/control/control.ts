import { parseDuration } from '../../text/quantity.ts';
import { isClockTime } from '../clock.ts';
import { readFault } from '../faults/read-fault.ts';
import type { Control, FaultObject, ListedReport } from '../public-types.ts';
import type { Services } from '../services.ts';
import { usageError } from '../usage-error.ts';

const advanceForms =
  'Use milliseconds, or a number with a unit: 500ms, 30s, 5m, 2h or 1d. Over HTTP, the unit is required.';

/** Controls a running server from the same process. The admin calls do the same over HTTP. */
export function createControl(services: Services): Control {
  const { clock, faults, log, reports, sessions } = services;

  return {
    requests: () => log.list(),

    reports: () => listReports(services),

    advance(duration) {
      const durationMs = typeof duration === 'number' ? duration : parseDuration(duration);
      if (!isForward(durationMs) || !isClockTime(clock.now() + durationMs)) {
        const text = String(duration).slice(0, 40);
        throw usageError(`Cannot advance the clock by “${text}”.`, advanceForms);
      }
      clock.advance(durationMs);
    },

    // The test declares the document type.
    fault: (fault) => faults.add(readFault(fault as string | FaultObject<unknown>)),

    reset() {
      sessions.reset();
      faults.reset();
      reports.reset();
      log.reset();
      clock.reset();
    },
  };
}

/** Lists the reports of every account, oldest first. */
function listReports({ reports, clock }: Services): ListedReport[] {
  return reports.list().map((report) => ({
    ...reports.toRecord(report, clock.now()),
    account: report.account.name,
    created: new Date(report.createdMs).toISOString(),
    request: report.request,
  }));
}

function isForward(durationMs: number | undefined): durationMs is number {
  return durationMs !== undefined && durationMs >= 0;
}
