import { UsageError } from '../../errors.ts';
import { parseDuration } from '../../text/quantity.ts';
import { isClockTime, readClockTime } from '../clock.ts';
import type { Control } from '../local-server.ts';
import type { Services } from '../services.ts';

/**
 * What a test does to a running server from its own process; the admin calls do the same over HTTP.
 */
export function createControl(services: Services): Control {
  const { clock, faults, log, reports, sessions } = services;

  return {
    requests: () => log.list(),

    advance(duration) {
      const durationMs = typeof duration === 'number' ? duration : parseDuration(duration);
      if (!isAdvance(durationMs) || !isClockTime(clock.now() + durationMs)) {
        const text = String(duration).slice(0, 40);
        throw new UsageError(`The clock cannot be advanced by “${text}”.`, {
          hint: 'Give milliseconds, or in {"advance":"2h"} a number with a unit: 500ms, 30s, 5m, 2h or 1d.',
        });
      }
      clock.advance(durationMs);
    },

    setClock({ now, frozen = false }) {
      const nowMs = now === undefined ? clock.now() : readClockTime(now);
      clock.set(nowMs, frozen);
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

/** Whether a clock can be advanced by so much: it is never advanced back. */
function isAdvance(durationMs: number | undefined): durationMs is number {
  return durationMs !== undefined && durationMs >= 0;
}
