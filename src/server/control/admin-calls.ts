import { UsageError } from '../../errors.ts';
import { booleanCheck, checkMembers, type MemberCheck, text } from '../check-members.ts';
import { type FaultSpec, parseFault } from '../faults/parse-fault.ts';
import { answerChecks } from '../faults/read-fault.ts';
import type { Control, FaultAnswer, ReportChange } from '../public-types.ts';
import type { Parameters } from '../request/parse-body.ts';
import type { Services } from '../services.ts';

/** A call with which tests in any language control the server (`cli.md`, `local-server`). */
export interface AdminCall {
  readonly method: 'GET' | 'POST' | 'DELETE';

  /** `:id` is the ID of a report or a fault. */
  readonly path: string;
  readonly meaning: string;

  /** `undefined` if the call accepts no body. */
  readonly body?: { readonly schema: string; readonly example: object };

  /** Returns the JSON response, or nothing for `{"ok":true}`. Throws `UsageError`. */
  answer(body: Parameters, id: string): Promise<unknown> | unknown;
}

/** Lists the calls for the routes, `/openapi.json`, the web page and the list of known paths. */
export function listAdminCalls(services: Services, control: Control): readonly AdminCall[] {
  const { faults, log } = services;

  return [
    {
      method: 'GET',
      path: '/__admin/health',
      meaning: 'status and clock',
      answer: () => health(services),
    },
    {
      method: 'GET',
      path: '/__admin/requests',
      meaning: 'list the latest calls',
      answer: () => ({ counts: log.counts(), requests: log.list() }),
    },
    {
      method: 'DELETE',
      path: '/__admin/requests',
      meaning: 'clear the list of calls',
      answer: () => log.reset(),
    },
    {
      method: 'GET',
      path: '/__admin/clock',
      meaning: 'the server’s clock',
      answer: () => clockTime(services),
    },
    {
      method: 'POST',
      path: '/__admin/clock',
      meaning: 'advance, set or freeze the clock',
      body: { schema: 'AdminClock', example: { advance: '2h' } },
      answer(body) {
        setOrAdvance(control, body);
        return clockTime(services);
      },
    },
    {
      method: 'GET',
      path: '/__admin/faults',
      meaning: 'list the active faults',
      answer: () => ({ faults: faults.list() }),
    },
    {
      method: 'POST',
      path: '/__admin/faults',
      meaning: 'add a fault; status, headers and body are for ENDPOINT:answer',
      body: { schema: 'AdminFault', example: { fault: 'status:503:times=3' } },
      answer(body) {
        faults.add(...readFaults(body));
        return { faults: faults.list() };
      },
    },
    {
      method: 'DELETE',
      path: '/__admin/faults',
      meaning: 'remove every fault',
      answer: () => control.clearFaults(),
    },
    {
      method: 'DELETE',
      path: '/__admin/faults/:id',
      meaning: 'remove one fault, by its ID in the list',
      answer: (_body, id) => faults.remove(id),
    },
    {
      method: 'GET',
      path: '/__admin/reports',
      meaning: 'list every report',
      answer: () => ({ reports: control.reports() }),
    },
    {
      method: 'POST',
      path: '/__admin/reports/:id',
      meaning: 'set the status of a report',
      body: { schema: 'AdminReport', example: { status: 'ready' } },
      answer(body, id) {
        // Checks the body.
        control.setReport(id, body as unknown as ReportChange);
        return { response: { report_id: id, status: body.status } };
      },
    },
    {
      method: 'POST',
      path: '/__admin/reset',
      meaning: 'reset to the initial state',
      answer: () => control.reset(),
    },
  ];
}

/** Throws `UsageError` for the body of a call that sets the clock. */
function setOrAdvance(control: Control, body: Parameters): void {
  const now = { ...text, expected: 'a time such as 2026-11-01T09:00:00Z' };
  checkMembers(body, { advance: text, now, frozen: booleanCheck }, { noun: 'member' });
  const { advance, ...setting } = body;
  const isSetting = Object.keys(setting).length > 0;
  if (isSetting === (advance !== undefined)) {
    const hint =
      'Send {"advance":"2h"} or {"now":"2026-11-01T09:00:00Z"}. Add "frozen":true to freeze the clock.';
    throw new UsageError('Invalid body: use either advance, or now and frozen.', { hint });
  }
  if (isSetting) control.setClock(setting);
  else control.advance(String(advance));
}

const strings: MemberCheck = {
  expected: 'a list of strings',
  isValid: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};

/** Throws `UsageError` for the body of a call that adds faults. */
function readFaults(body: Parameters): FaultSpec[] {
  checkMembers(
    body,
    { fault: text, faults: strings, ...answerChecks },
    { noun: 'member', code: 'BAD_FAULT' },
  );
  const { fault, faults: several, ...answer } = body as FaultBody;
  const hasAnswer = Object.values(answer).some((member) => member !== undefined);
  const isEither = (fault === undefined) !== (several === undefined);
  if (!isEither || several?.length === 0 || (several && hasAnswer)) {
    throw new UsageError(
      'Invalid body: use either fault or faults. status, headers and body work with fault, not with faults.',
      {
        code: 'BAD_FAULT',
        hint: 'Send {"fault":"status:503:times=3"}, {"faults":["status:503","campaigns:429"]}, or {"fault":"status:answer","status":200,"headers":{},"body":"…"}.',
      },
    );
  }
  if (several) return several.map((written) => parseFault(written, { isRemote: true }));

  const source = { isRemote: true, ...(hasAnswer && { answer: { body: undefined, ...answer } }) };
  return [parseFault(fault ?? '', source)];
}

interface FaultBody extends Partial<FaultAnswer> {
  readonly fault?: string;
  readonly faults?: readonly string[];
}

function health(services: Services): object {
  return { status: 'ok', ...clockTime(services), reports: services.reports.list().length };
}

function clockTime({ clock }: Services): object {
  const now = new Date(clock.now()).toISOString();
  return clock.isFrozen ? { now, frozen: true } : { now };
}
