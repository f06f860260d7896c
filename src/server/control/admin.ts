import { reportStatuses } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import type { AppParts } from '../app.ts';
import { type Answer, jsonAnswer } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import type { Routes } from '../http/routes.ts';
import type { Control } from '../local-server.ts';

interface AdminParts {
  readonly parts: AppParts;
  readonly control: Control;
}

/** The calls with which tests steer the server, without a token (`cli.md`, `local-server`). */
export function addAdmin(routes: Routes, { parts, control }: AdminParts): void {
  const route: AdminRoute = (method, path, work) => {
    routes.add(method, `/__admin${path}`, (call) => answerAdmin(call, work));
  };
  const now = (): { now: string } => ({ now: new Date(parts.clock.now()).toISOString() });

  route('GET', '/health', () => ({ status: 'ok', ...now(), reports: parts.reports.list().length }));
  route('GET', '/requests', () => ({ counts: parts.log.counts(), requests: parts.log.list() }));
  route('DELETE', '/requests', () => parts.log.clear());
  route('GET', '/clock', now);
  route('POST', '/clock', (call) => {
    const { advance } = readObject(call);
    if (typeof advance !== 'string') {
      throw new UsageError('Send {"advance":"2h"}: a number with a unit, 500ms, 30s, 5m, 2h or 1d.');
    }
    control.advance(advance);
    return now();
  });
  route('POST', '/reset', () => control.reset());
  addFaultCalls(route, parts);
  addReportCalls(route, parts, control);
}

type Method = 'GET' | 'POST' | 'DELETE';

/** Adds a call below `/__admin`: its answer is what `work` returns, or that all went well where it returns nothing. */
type AdminRoute = (method: Method, path: string, work: (call: Call) => unknown) => void;

function addFaultCalls(route: AdminRoute, { faults }: AppParts): void {
  route('GET', '/faults', () => ({ faults: faults.list() }));
  route('POST', '/faults', (call) => {
    faults.add(...faultsIn(readObject(call)));
    return { faults: faults.list() };
  });
  route('DELETE', '/faults', () => faults.clear());
}

function addReportCalls(route: AdminRoute, { clock, reports }: AppParts, control: Control): void {
  route('GET', '/reports', () => ({
    reports: reports.list().map((report) => ({
      ...reports.record(report, clock.now()),
      account: report.account.name,
      created: new Date(report.createdMs).toISOString(),
      request: report.request,
    })),
  }));
  route('POST', '/reports/:id', (call) => {
    const { status, message } = readObject(call);
    const known = reportStatuses.find((candidate) => candidate === status);
    if (!known) throw new UsageError(`Send {"status":"…"} with one of ${reportStatuses.join(', ')}.`);
    const id = lastPartOf(call);
    control.setReport(id, { status: known, ...(typeof message === 'string' ? { message } : {}) });
    return { response: { report_id: id, status: known } };
  });
}

const changing: ReadonlySet<string | undefined> = new Set(['POST', 'DELETE']);

/** Does what an admin call asks, whose input may be refused with a `UsageError`. */
function answerAdmin(call: Call, work: (call: Call) => unknown): Answer {
  try {
    if (changing.has(call.incoming.method)) assertOwnOrigin(call);
    return jsonAnswer(work(call) ?? { ok: true });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { code: error_id, message, hint } = error;
    const response = { error_id, error: hint ? `${message} ${hint}` : message };
    return jsonAnswer({ response }, statuses[error_id] ?? 400);
  }
}

const statuses: Readonly<Record<string, number>> = { UNKNOWN_REPORT: 404, FOREIGN_ORIGIN: 403 };

/** Refuses the pages of other sites: a browser lets them send a POST to this machine, without having asked first. */
function assertOwnOrigin({ incoming }: Call): void {
  const { origin, host } = incoming.headers;
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return;
  throw new UsageError('A page of another origin cannot steer this server.', { code: 'FOREIGN_ORIGIN' });
}

function readObject({ body }: Call): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(String(body) || '{}');
    if (typeof value === 'object' && value !== null) return value as { [name: string]: unknown };
  } catch {
    // Said below.
  }
  throw new UsageError('The body must be a JSON object.', { code: 'INVALID_BODY' });
}

/** What stands in the place of `:id`, whose encoding the route has seen to be right. */
function lastPartOf({ incoming: { url = '' } }: Call): string {
  return decodeURIComponent((url.split('?', 1)[0] ?? '').replace(/^.*\//, ''));
}

/** `{"fault":"…"}` or `{"faults":["…"]}`. */
function faultsIn({ fault, faults }: { readonly [name: string]: unknown }): string[] {
  const given = fault === undefined ? faults : [fault];
  if (Array.isArray(given) && given.length > 0 && given.every((item) => typeof item === 'string')) return given;
  throw new UsageError('Send {"fault":"status:503:times=3"}, or {"faults":[…]}.', { code: 'BAD_FAULT' });
}
