import { type ReportStatus, reportStatuses } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { booleanCheck, textCheck, wordCheck } from '../../text/check-members.ts';
import { readClockTime } from '../clock.ts';
import { readFault } from '../faults/read-fault.ts';
import type { Control, FaultObject } from '../public-types.ts';
import type { Parameters } from '../request/parse-body.ts';
import { ServiceError } from '../service/service-error.ts';
import type { Services } from '../services.ts';
import { requireMembers } from '../usage-error.ts';
import { createControl } from './control.ts';

/** A call with which tests in any language control the server (`cli.md`, `local-server`). */
export interface AdminCall {
  readonly method: 'GET' | 'POST' | 'DELETE';

  /** Path, in which `:id` is the ID of a report. */
  readonly path: string;
  readonly takesBody?: true;

  /** Returns the JSON response, or nothing for `{"ok":true}`. Throws `UsageError`. */
  run(body: Parameters, id: string): unknown;
}

export function listAdminCalls(services: Services): readonly AdminCall[] {
  const { faults, log, reports, sessions } = services;
  const control = createControl(services);

  return [
    {
      method: 'GET',
      path: '/__admin/health',
      run: () => ({ status: 'ok', ...clockTime(services), reports: reports.list().length }),
    },
    {
      method: 'GET',
      path: '/__admin/requests',
      run: () => ({ requests: log.list() }),
    },
    {
      method: 'DELETE',
      path: '/__admin/requests',
      run: () => log.reset(),
    },
    {
      method: 'GET',
      path: '/__admin/clock',
      run: () => clockTime(services),
    },
    {
      method: 'POST',
      path: '/__admin/clock',
      takesBody: true,
      run(body) {
        changeClock(services, control, body);
        return clockTime(services);
      },
    },
    {
      method: 'GET',
      path: '/__admin/faults',
      run: () => ({ faults: faults.list() }),
    },
    {
      method: 'POST',
      path: '/__admin/faults',
      takesBody: true,
      run(body) {
        faults.add(readFault(faultIn(body)));
        return { faults: faults.list() };
      },
    },
    {
      method: 'DELETE',
      path: '/__admin/faults',
      run() {
        faults.clear();
        sessions.restoreFixedTokens();
      },
    },
    {
      method: 'GET',
      path: '/__admin/reports',
      run: () => ({ reports: control.reports() }),
    },
    {
      method: 'POST',
      path: '/__admin/reports/:id',
      takesBody: true,
      run(body, id) {
        const status = readStatus(body);
        const report = reports.get(id);
        if (!report)
          throw new ServiceError('UNKNOWN_REPORT', `Unknown report “${id.slice(0, 80)}”.`);
        report.fixedStatus = status;
        return { response: { report_id: id, status } };
      },
    },
    {
      method: 'POST',
      path: '/__admin/reset',
      run: () => control.reset(),
    },
  ];
}

/** Sets or moves the clock. Throws `UsageError` for an invalid body. */
function changeClock({ clock }: Services, control: Control, body: Parameters): void {
  const checks = {
    advance: textCheck,
    now: { ...textCheck, expected: 'a time such as 2026-11-01T09:00:00Z' },
    frozen: booleanCheck,
  };
  requireMembers(body, checks, { noun: 'member' });
  const { advance, now, frozen = false } = body;
  const isSetting = now !== undefined || body.frozen !== undefined;
  if (isSetting === (advance !== undefined)) {
    const hint =
      'Send {"advance":"2h"} or {"now":"2026-11-01T09:00:00Z"}. Add "frozen":true to freeze the clock.';
    throw new UsageError('Invalid body: use either advance, or now and frozen.', { hint });
  }

  if (advance !== undefined) control.advance(String(advance));
  else clock.set(now === undefined ? clock.now() : readClockTime(String(now)), frozen === true);
}

/** Returns the fault in the body of a call, which `readFault` checks. */
function faultIn(body: Parameters): string | FaultObject {
  const { fault, ...others } = body;
  if (fault === undefined) return others as unknown as FaultObject;

  requireMembers(body, { fault: textCheck }, { noun: 'member', code: 'BAD_FAULT' });
  return String(fault);
}

/** Reads the new status of a report. Throws `UsageError` for an invalid body. */
function readStatus(body: Parameters): ReportStatus {
  const check = wordCheck(reportStatuses);
  requireMembers(body, { status: check }, { noun: 'member' });
  if (body.status === undefined) throw new UsageError(`status is missing: use ${check.expected}.`);
  return body.status as ReportStatus;
}

function clockTime({ clock }: Services): object {
  const now = new Date(clock.now()).toISOString();
  return clock.isFrozen ? { now, frozen: true } : { now };
}
