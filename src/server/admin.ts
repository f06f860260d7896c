import { reportStatuses } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { parseDuration } from '../text/quantity.ts';
import type { Control } from './local-server.ts';
import { latestSecond } from './request/read-request.ts';
import type { ServiceParts } from './service/service.ts';

/** What an admin call does: it returns what is told, or nothing where all went well. Throws `UsageError`. */
type Work = (given: Readonly<Record<string, unknown>>, id: string) => unknown;

/** A call with which tests steer the server from any language, without a token (`cli.md`, `local-server`). */
export type AdminCall = ReturnType<typeof createSteering>['calls'][number];
export type ListedReport = ReturnType<ReturnType<typeof createSteering>['listReports']>[number];

/**
 * What tests do to the server that is made of these parts: from its own process, and by calls. Routes, `/openapi.json`,
 * the page and the refusal of an unknown path are made of the list of calls.
 */
export function createSteering(parts: ServiceParts) {
  const { faults, log, reports, sessions } = parts;
  const control: Control = {
    requests: () => log.list(),
    advance: (duration) => {
      const durationMs = typeof duration === 'number' ? duration : parseDuration(duration);
      if (
        durationMs === undefined ||
        !(durationMs >= 0) ||
        parts.now() + durationMs > latestSecond * 1_000
      ) {
        const hint =
          'Give milliseconds, or in {"advance":"2h"} a number with a unit: 500ms, 30s, 5m, 2h or 1d.';
        throw new UsageError(
          `The clock cannot be advanced by “${String(duration).slice(0, 40)}”.`,
          { hint },
        );
      }
      parts.advancedMs += durationMs;
    },
    fault: (spec) => faults.add(spec),
    clearFaults: () => faults.clear(),
    setReport: (id, { status, message }) => {
      const report = reports.list().find((candidate) => candidate.id === id);
      if (!report)
        throw new UsageError(`There is no report “${id.slice(0, 80)}”.`, {
          code: 'UNKNOWN_REPORT',
        });
      Object.assign(report, { fixedStatus: status, message });
    },
    reset: () => {
      for (const part of [sessions, faults, reports, log]) part.reset();
      parts.advancedMs = 0;
    },
  };

  const now = () => ({ now: new Date(parts.now()).toISOString() });
  const health = () => ({ status: 'ok', ...now(), reports: reports.list().length });
  const listReports = () =>
    reports.list().map((report) => ({
      ...reports.record(report, parts.now()),
      account: report.account.name,
      created: new Date(report.createdMs).toISOString(),
      request: report.request,
    }));
  const advance: Work = ({ advance: duration }) => {
    control.advance(typeof duration === 'string' ? duration : '');
    return now();
  };
  const addFaults: Work = ({ fault, faults: list = [fault] }) => {
    if (
      !Array.isArray(list) ||
      list.length === 0 ||
      !list.every((item) => typeof item === 'string')
    ) {
      throw new UsageError('Send {"fault":"status:503:times=3"}, or {"faults":[…]}.', {
        code: 'BAD_FAULT',
      });
    }
    faults.add(...list);
    return { faults: faults.list() };
  };
  const setReport: Work = ({ status: given, message }, id) => {
    const status = reportStatuses.find((known) => known === given);
    if (!status)
      throw new UsageError(`Send {"status":"…"} with one of ${reportStatuses.join(', ')}.`);
    control.setReport(id, { status, ...(typeof message === 'string' ? { message } : {}) });
    return { response: { report_id: id, status } };
  };
  const table: readonly (readonly [
    'GET' | 'POST' | 'DELETE',
    string,
    string,
    Work,
    example?: object,
  ])[] = [
    ['GET', '/health', 'whether it is up, and its clock', health],
    [
      'GET',
      '/requests',
      'the latest calls',
      () => ({ counts: log.counts(), requests: log.list() }),
    ],
    ['DELETE', '/requests', 'forgets the calls', () => log.reset()],
    ['GET', '/clock', 'the time by the server’s clock', now],
    ['POST', '/clock', 'moves the clock on', advance, { advance: '2h' }],
    ['GET', '/faults', 'the faults in force', () => ({ faults: faults.list() })],
    ['POST', '/faults', 'puts a fault in force', addFaults, { fault: 'status:503:times=3' }],
    ['DELETE', '/faults', 'ends every fault', () => faults.clear()],
    ['GET', '/reports', 'every report', () => ({ reports: listReports() })],
    ['POST', '/reports/:id', 'sets the status of a report', setReport, { status: 'ready' }],
    ['POST', '/reset', 'back to how the server started', () => control.reset()],
  ];
  const calls = table.map(([method, path, meaning, work, example]) => {
    return { method, path: `/__admin${path}`, meaning, work, example };
  });
  return { control, calls, listReports };
}
