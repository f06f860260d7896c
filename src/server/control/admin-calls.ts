import { type FaultSource, parseFault } from '../faults/parse-fault.ts';
import type { Control, FaultAnswer } from '../local-server.ts';
import type { Parameters } from '../request/parse-body.ts';
import type { Services } from '../services.ts';
import type { AdminBodyName } from './admin-bodies.ts';

/**
 * A call with which tests steer the server from any language, without a token (`cli.md`,
 * `local-server`).
 */
export interface AdminCall {
  readonly method: 'GET' | 'POST' | 'DELETE';

  /** `:id` in it stands for a report, or a fault. */
  readonly path: string;
  readonly meaning: string;

  /** The body that it takes; none where absent. */
  readonly body?: AdminBody;

  /** Does it, and returns what is told, or nothing where all went well. Throws `UsageError`. */
  answer(body: Parameters, id: string): Promise<unknown> | unknown;
}

/** The body of an admin call. */
interface AdminBody {
  /** Under which `admin-bodies.ts` describes it. */
  readonly name: AdminBodyName;
  readonly example: object;
}

/**
 * Every admin call. Routes, `/openapi.json`, the page and the refusal of an unknown path are made
 * of this list.
 */
export function listAdminCalls(services: Services, control: Control): readonly AdminCall[] {
  const { faults, log } = services;

  return [
    {
      method: 'GET',
      path: '/__admin/health',
      meaning: 'whether it is up, and its clock',
      answer: () => tellHealth(services),
    },
    {
      method: 'GET',
      path: '/__admin/requests',
      meaning: 'the latest calls',
      answer: () => ({ counts: log.counts(), requests: log.list() }),
    },
    {
      method: 'DELETE',
      path: '/__admin/requests',
      meaning: 'forgets the calls',
      answer: () => log.reset(),
    },
    {
      method: 'GET',
      path: '/__admin/clock',
      meaning: 'the time by the server’s clock',
      answer: () => tellTime(services),
    },
    {
      method: 'POST',
      path: '/__admin/clock',
      meaning: 'moves the clock on, sets it, or lets it stand still',
      body: { name: 'clock', example: { advance: '2h' } },
      async answer(body) {
        const { readAdminBody } = await import('./admin-bodies.ts');
        const { advance, ...setting } = readAdminBody('clock', body);
        if (advance === undefined) control.setClock(setting);
        else control.advance(advance);
        return tellTime(services);
      },
    },
    {
      method: 'GET',
      path: '/__admin/faults',
      meaning: 'the faults in force',
      answer: () => ({ faults: faults.list() }),
    },
    {
      method: 'POST',
      path: '/__admin/faults',
      meaning: 'puts a fault in force; status, headers and body go with ENDPOINT:answer',
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
      meaning: 'ends every fault',
      answer: () => control.clearFaults(),
    },
    {
      method: 'DELETE',
      path: '/__admin/faults/:id',
      meaning: 'ends one fault, by the id of the list',
      answer: (_body, id) => faults.remove(id),
    },
    {
      method: 'GET',
      path: '/__admin/reports',
      meaning: 'every report',
      answer: () => ({ reports: control.reports() }),
    },
    {
      method: 'POST',
      path: '/__admin/reports/:id',
      meaning: 'sets the status of a report',
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
      meaning: 'back to how the server started',
      answer: () => control.reset(),
    },
  ];
}

/** A fault that is given over HTTP, with the answer in the same body, if there is one. */
function remoteSource(answer: Partial<FaultAnswer>): FaultSource {
  const hasAnswer = Object.values(answer).some((member) => member !== undefined);
  if (!hasAnswer) return { isRemote: true };
  return { isRemote: true, answer: { body: undefined, ...answer } };
}

function tellHealth(services: Services): object {
  return { status: 'ok', ...tellTime(services), reports: services.reports.list().length };
}

function tellTime({ clock }: Services): object {
  const now = new Date(clock.now()).toISOString();
  return clock.isFrozen ? { now, frozen: true } : { now };
}
