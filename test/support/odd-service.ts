import type { EndpointName } from '../../src/contract/messages.ts';
import type { FaultObject, FaultRequest } from '../../src/local-server.ts';
import type { ServerOptions } from '../../src/server/options.ts';
import type { LocalServer } from '../../src/server/start.ts';
import { isEarly, isRefused, isUnknown, type OddService } from '../contract/odd-services.ts';
import { serveForTest } from './service.ts';

/** Starts the local server as an odd service, and runs command lines against it. */
export async function serveOdd(
  { account = 'buyer', server, faults = [] }: Pick<OddService, 'account' | 'server' | 'faults'>,
  usual: ServerOptions = {},
) {
  const service = await serveForTest({ ...usual, ...server }, account);
  const all = typeof faults === 'function' ? faults(service.server) : faults;
  for (const fault of all) service.server.fault(onSuccess(fault, service.server));

  const env = { ADREPORT_EMAIL: `${account}@example.com`, ADREPORT_PASSWORD: 'demo' };
  const run: typeof service.run = (line, more = {}) =>
    service.run(line, { ...more, env: { ...env, ...more.env } });
  return { ...service, run };
}

/** Responds literally by endpoint; a report has the id `r1` and is ready at once. */
export function literalAnswers(
  bodies: { readonly [Name in EndpointName]?: unknown } = {},
): FaultObject<never>[] {
  const all = { buyer: { id: 'r1' }, status: { status: 'ready' }, ...bodies };
  return Object.entries(all).map(([endpoint, body]) => ({
    endpoint: endpoint as EndpointName,
    answer: { body },
  }));
}

/**
 * Limits a fault that replaces a response to successes, as changes are, if it does not select calls
 * itself.
 */
function onSuccess(fault: FaultObject<never>, server: LocalServer): FaultObject<never> {
  if (fault.answer === undefined || fault.when) return fault;

  const isSuccess = {
    auth: () => true,
    buyer: (request: FaultRequest) => !isRefused(request) && request.body.output === undefined,
    status: (request: FaultRequest) => isLiteralId(request) || !isUnknown(server)(request),
    download: (request: FaultRequest) => isLiteralId(request) || isReady(server)(request),
    campaigns: ({ headers }: FaultRequest) => /^\w+$/.test(headers.authorization ?? ''),
    '*': () => true,
  };
  return { ...fault, when: isSuccess[fault.endpoint] };
}

/** Recognizes a report id that is not the server's. */
const isLiteralId = ({ body }: FaultRequest): boolean => String(body.id).length < 10;

const isReady =
  (server: LocalServer) =>
  (request: FaultRequest): boolean =>
    !isUnknown(server)(request) && !isEarly(server)(request);
