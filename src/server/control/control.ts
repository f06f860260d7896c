import { UsageError } from '../../errors.ts';
import { parseDuration } from '../../text/duration.ts';
import type { AppParts } from '../app.ts';
import type { Control } from '../local-server.ts';

/** 9999-12-31T23:59:59Z: beyond it dates have no four-digit year. */
const latestMs = 253_402_300_799_000;

/** What tests and the admin calls do to the server that is made of these parts. */
export function createControl(parts: AppParts): Control {
  const { clock, faults, log, reports, sessions, rateLimit } = parts;
  return {
    requests: () => log.list(),
    advance: (duration) => {
      const durationMs = typeof duration === 'number' ? duration : parseDuration(duration);
      if (durationMs === undefined || !(durationMs >= 0) || clock.now() + durationMs > latestMs) {
        throw new UsageError(`The clock cannot be advanced by “${String(duration).slice(0, 40)}”.`, {
          hint: 'Give milliseconds, or a number with a unit: 500ms, 30s, 5m, 2h or 1d.',
        });
      }
      clock.advance(durationMs);
    },
    fault: (spec) => faults.add(spec),
    clearFaults: () => faults.clear(),
    setReport: (id, { status, message }) => {
      const report = reports.findAny(id);
      if (!report) throw new UsageError(`There is no report “${id.slice(0, 80)}”.`, { code: 'UNKNOWN_REPORT' });
      report.fixedStatus = status;
      report.message = message;
    },
    reset: () => {
      reports.clear();
      sessions.reset();
      faults.reset();
      log.clear();
      rateLimit?.reset();
      clock.reset();
    },
  };
}
