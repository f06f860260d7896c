import { type ReportStatus, reportStatuses } from '../../contract/messages.ts';
import { booleanCheck, choiceCheck, stringCheck } from '../../text/check-members.ts';
import { clockTimeAdvice, parseClockTime } from '../clock.ts';
import type { Control, FaultObject } from '../public-types.ts';
import type { Parameters } from '../request/parse-body.ts';
import type { Services } from '../services.ts';
import { requireMembers, usageError } from '../usage-error.ts';
import { createControl } from './control.ts';

/**
 * Handles an admin call. Returns the JSON response, or `undefined` for `{"ok":true}`. Throws
 * `UsageError`.
 */
export type AdminCall = (body: Parameters, id: string) => unknown;

/**
 * Lists the calls that control the server from tests in any language, by method and path (`cli.md`,
 * `local-server`). `:id` in a path is a report ID.
 */
export function listAdminCalls(services: Services): Readonly<Record<string, AdminCall>> {
  const { faults, log, reports, sessions } = services;
  const control = createControl(services);

  return {
    'GET /__admin/health': () => ({
      status: 'ok',
      ...describeClock(services),
      reports: reports.list().length,
    }),
    'GET /__admin/requests': () => ({ requests: control.requests() }),
    'DELETE /__admin/requests': () => log.reset(),
    'GET /__admin/clock': () => describeClock(services),
    'POST /__admin/clock'(body) {
      changeClock(services, control, body);
      return describeClock(services);
    },
    'GET /__admin/faults': () => ({ faults: faults.list() }),
    'POST /__admin/faults'(body) {
      control.fault(readFaultBody(body));
      return { faults: faults.list() };
    },
    'DELETE /__admin/faults'() {
      faults.clear();
      sessions.restoreFixedTokens();
    },
    'GET /__admin/reports': () => ({ reports: control.reports() }),
    'POST /__admin/reports/:id'(body, id) {
      const status = readStatus(body);
      reports.get(id).fixedStatus = status;
      return { response: { report_id: id, status } };
    },
    'POST /__admin/reset': () => control.reset(),
  };
}

/** Sets or moves the clock. Throws `UsageError` for an invalid body. */
function changeClock({ clock }: Services, control: Control, body: Parameters): void {
  const checks = {
    advance: stringCheck,
    now: { ...stringCheck, expected: 'a time such as 2026-11-01T09:00:00Z' },
    frozen: booleanCheck,
  };
  requireMembers(body, checks, { noun: 'key' });
  const { advance, now, frozen = false } = body;
  const isSetting = now !== undefined || body.frozen !== undefined;
  if (isSetting === (advance !== undefined)) {
    const hint =
      'Send {"advance":"2h"} or {"now":"2026-11-01T09:00:00Z"}. Add "frozen":true to freeze the clock.';
    throw usageError('Invalid body: use either advance, or now and frozen.', hint);
  }

  if (advance !== undefined) control.advance(String(advance));
  else clock.set(now === undefined ? clock.now() : readTime(String(now)), frozen === true);
}

function readTime(text: string): number {
  const timeMs = parseClockTime(text);
  if (timeMs !== undefined) return timeMs;
  throw usageError(`Cannot set the clock to “${text.slice(0, 40)}”.`, clockTimeAdvice);
}

/** Returns the fault in a body, which `readFault` checks later. */
function readFaultBody(body: Parameters): string | FaultObject {
  const { fault, ...others } = body;
  if (fault === undefined) return others as unknown as FaultObject;

  requireMembers(body, { fault: stringCheck }, { noun: 'key', code: 'BAD_FAULT' });
  return String(fault);
}

/** Throws `UsageError` for an invalid body. */
function readStatus(body: Parameters): ReportStatus {
  const check = choiceCheck(reportStatuses);
  requireMembers(body, { status: check }, { noun: 'key' });
  if (body.status === undefined) throw usageError('status is missing.', `Use ${check.expected}.`);
  return body.status as ReportStatus;
}

function describeClock({ clock }: Services): object {
  const now = new Date(clock.now()).toISOString();
  return clock.isFrozen ? { now, frozen: true } : { now };
}
