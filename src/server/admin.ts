import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReportStatus } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { jsonAnswer } from './answer.ts';
import type { AppParts } from './app.ts';
import type { Control } from './local-server.ts';
import { transmit } from './transmit.ts';

interface AdminParts {
  readonly parts: AppParts;
  readonly control: Control;
}

const reportStatuses: readonly ReportStatus[] = ['progress', 'ready', 'failed', 'expired'];

/** The calls with which tests steer the server, without a token (`cli.md`, `local-server`). */
export function addAdmin(app: FastifyInstance, { parts, control }: AdminParts): void {
  const { clock, faults, log, reports } = parts;
  const answer = (request: FastifyRequest, reply: FastifyReply, value: unknown, status = 200): FastifyReply =>
    transmit(request, reply, jsonAnswer(value, status));
  /** A route whose work may refuse its input with a `UsageError`. */
  const route = (method: 'GET' | 'POST' | 'DELETE', url: string, work: (request: FastifyRequest) => unknown): void => {
    app.route({
      method,
      url: `/__admin${url}`,
      handler: async (request, reply) => {
        try {
          if (method !== 'GET') assertOwnOrigin(request);
          return answer(request, reply, work(request) ?? { ok: true });
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          const { code: error_id, message, hint } = error;
          const status = statuses[error_id] ?? 400;
          return answer(
            request,
            reply,
            { response: { error_id, error: hint ? `${message} ${hint}` : message } },
            status,
          );
        }
      },
    });
  };
  const time = (): { now: string } => ({ now: new Date(clock.now()).toISOString() });

  route('GET', '/health', () => ({ status: 'ok', ...time(), reports: reports.list().length }));
  route('GET', '/requests', () => ({ counts: log.counts(), requests: log.list() }));
  route('DELETE', '/requests', () => log.clear());
  route('GET', '/faults', () => ({ faults: faults.list() }));
  route('POST', '/faults', (request) => {
    for (const spec of faultsIn(readObject(request))) control.fault(spec);
    return { faults: faults.list() };
  });
  route('DELETE', '/faults', () => control.clearFaults());
  route('GET', '/clock', time);
  route('POST', '/clock', (request) => {
    const { advance } = readObject(request);
    if (typeof advance !== 'string') {
      throw new UsageError('Send {"advance":"2h"}: a number with a unit, 500ms, 30s, 5m, 2h or 1d.');
    }
    control.advance(advance);
    return time();
  });
  route('GET', '/reports', () => ({
    reports: reports.list().map((report) => ({
      ...reports.record(report, clock.now()),
      account: report.account.name,
      created: new Date(report.createdMs).toISOString(),
      request: report.request,
    })),
  }));
  route('POST', '/reports/:id', (request) => {
    const { status, message } = readObject(request);
    const known = reportStatuses.find((candidate) => candidate === status);
    if (!known) throw new UsageError(`Send {"status":"…"} with one of ${reportStatuses.join(', ')}.`);
    const { id } = request.params as { id: string };
    control.setReport(id, { status: known, ...(typeof message === 'string' ? { message } : {}) });
    return { response: { report_id: id, status: known } };
  });
  route('POST', '/reset', () => control.reset());
}

const statuses: Readonly<Record<string, number>> = { UNKNOWN_REPORT: 404, FOREIGN_ORIGIN: 403 };

/** Refuses the pages of other sites: a browser lets them send a POST to this machine, without having asked first. */
function assertOwnOrigin({ headers: { origin, host } }: FastifyRequest): void {
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return;
  throw new UsageError('A page of another origin cannot steer this server.', { code: 'FOREIGN_ORIGIN' });
}

function readObject(request: FastifyRequest): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(String(request.body ?? '{}') || '{}');
    if (typeof value === 'object' && value !== null) return value as { [name: string]: unknown };
  } catch {
    // Said below.
  }
  throw new UsageError('The body must be a JSON object.', { code: 'INVALID_BODY' });
}

/** `{"fault":"…"}` or `{"faults":["…"]}`. */
function faultsIn({ fault, faults }: { readonly [name: string]: unknown }): string[] {
  const given = fault === undefined ? faults : [fault];
  if (Array.isArray(given) && given.length > 0 && given.every((item) => typeof item === 'string')) return given;
  throw new UsageError('Send {"fault":"status:503:times=3"}, or {"faults":[…]}.', { code: 'BAD_FAULT' });
}
