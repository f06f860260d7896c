import { UsageError } from '../../errors.ts';
import { parseDuration } from '../../text/quantity.ts';
import type { Control } from '../local-server.ts';
import { latestSecond } from '../request/read-request.ts';
import type { Services } from '../services.ts';

/** What a test does to a running server from its own process; the admin calls do the same over HTTP. */
export function createControl(services: Services): Control {
  const { clock, faults, log, reports, sessions } = services;

  return {
    requests: () => log.list(),

    advance(duration) {
      const durationMs = typeof duration === 'number' ? duration : parseDuration(duration);
      if (durationMs === undefined || !isPossible(durationMs, clock.now())) {
        const text = String(duration).slice(0, 40);
        throw new UsageError(`The clock cannot be advanced by “${text}”.`, {
          hint: 'Give milliseconds, or in {"advance":"2h"} a number with a unit: 500ms, 30s, 5m, 2h or 1d.',
        });
      }
      clock.advance(durationMs);
    },

    fault: (spec) => faults.add(spec),

    clearFaults: () => faults.clear(),

    setReport(id, { status, message }) {
      const report = reports.get(id);
      if (!report) {
        const text = `There is no report “${id.slice(0, 80)}”.`;
        throw new UsageError(text, { code: 'UNKNOWN_REPORT' });
      }
      report.fixedStatus = status;
      report.message = message;
    },

    reset() {
      sessions.reset();
      faults.reset();
      reports.reset();
      log.reset();
      clock.reset();
    },
  };
}

/** Whether a clock can be moved on by so much: not back, and not beyond the last date that has four digits of a year. */
function isPossible(durationMs: number, nowMs: number): boolean {
  return durationMs >= 0 && nowMs + durationMs <= latestSecond * 1_000;
}
