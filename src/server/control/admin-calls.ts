import { type FaultSource, parseFault } from '../faults/parse-fault.ts';
import type { Control, FaultAnswer } from '../public-types.ts';
import type { Parameters } from '../request/parse-body.ts';
import type { Services } from '../services.ts';
import type { AdminBodyName } from './admin-bodies.ts';

/** A call with which tests in any language control the server (`cli.md`, `local-server`). */
export interface AdminCall {
  readonly method: 'GET' | 'POST' | 'DELETE';

  /** `:id` is the ID of a report. */
  readonly path: string;
  readonly meaning: string;

  /** `undefined` if the call accepts no body. */
  readonly body?: { readonly name: AdminBodyName; readonly example: object };

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
      answer: () => ({ requests: log.list() }),
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
      body: { name: 'clock', example: { advance: '2h' } },
      async answer(body) {
        const { readAdminBody } = await import('./admin-bodies.ts');
        const { advance, ...setting } = readAdminBody('clock', body);
        if (advance === undefined) control.setClock(setting);
        else control.advance(advance);
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
      body: { name: 'fault', example: { fault: 'status:503:times=3' } },
      async answer(body) {
        const { readAdminBody } = await import('./admin-bodies.ts');
        const { fault, faults: several = [], ...answer } = readAdminBody('fault', body);
        const specs = several.map((text) => parseFault(text, { isRemote: true }));
        if (fault !== undefined) specs.push(parseFault(fault, remoteSource(answer)));
        faults.add(...specs);
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
      method: 'GET',
      path: '/__admin/reports',
      meaning: 'list every report',
      answer: () => ({ reports: control.reports() }),
    },
    {
      method: 'POST',
      path: '/__admin/reports/:id',
      meaning: 'set the status of a report',
      body: { name: 'report', example: { status: 'ready' } },
      async answer(body, id) {
        const { readAdminBody } = await import('./admin-bodies.ts');
        const change = readAdminBody('report', body);
        control.setReport(id, change);
        return { response: { report_id: id, status: change.status } };
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

/** Includes the response to send, if the body of the call has one. */
function remoteSource(answer: Partial<FaultAnswer>): FaultSource {
  const hasAnswer = Object.values(answer).some((member) => member !== undefined);
  if (!hasAnswer) return { isRemote: true };
  return { isRemote: true, answer: { body: undefined, ...answer } };
}

function health(services: Services): object {
  return { status: 'ok', ...clockTime(services), reports: services.reports.list().length };
}

function clockTime({ clock }: Services): object {
  const now = new Date(clock.now()).toISOString();
  return clock.isFrozen ? { now, frozen: true } : { now };
}
