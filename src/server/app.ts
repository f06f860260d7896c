import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import { type CallNote, type RequestLog, toLogged } from './control/request-log.ts';
import { answerByFault } from './faults/fault-answers.ts';
import type { Strike } from './faults/fault-kind.ts';
import type { Answer } from './http/answer.ts';
import { Call } from './http/call.ts';
import { closeWithConnection } from './http/queued-answers.ts';
import type { RateLimit } from './http/rate-limit.ts';
import { hasBody, readBody, refuseHeldBody } from './http/read-body.ts';
import { refusalAnswer, toServiceError } from './http/refusals.ts';
import { fromPath, type Handler, type Routes } from './http/routes.ts';
import { transmit } from './http/transmit.ts';
import type { LoggedRequest } from './local-server.ts';
import { type Caller, createService, readCredentials, type ServiceParts } from './service/service.ts';
import { ServiceError } from './service/service-error.ts';

export interface AppParts extends ServiceParts {
  readonly rateLimit: RateLimit | undefined;
  readonly log: RequestLog;
  /** Told of every call of the service when it is over. */
  readonly onRequest: ((request: LoggedRequest) => void) | undefined;
}

/** Takes calls by their routes: every answer is in the service's words, and what is of the service is logged. */
export function createListener(parts: AppParts, routes: Routes): RequestListener {
  return (incoming, outgoing) => {
    incoming.url = fromPath(incoming.url ?? '');
    const call = new Call(incoming, outgoing, noteArrival(parts, incoming, outgoing));
    const onError = (error: unknown): void => transmit(call, refusalAnswer(error), call.note.faults);
    try {
      assertHost(incoming);
      const handler = routes.find(incoming.method ?? '', incoming.url);
      if (!hasBody(incoming)) return answerCall(call, handler);
      readBody(call, {
        onBody: (body) => {
          call.body = body;
          answerCall(call, handler);
        },
        onError,
      });
    } catch (error) {
      refuseHeldBody(incoming, outgoing);
      onError(error);
    }
  };
}

/** Node would refuse a request without a host, were it not told to leave that to the service, which says why. */
function assertHost({ headers, httpVersionMinor }: IncomingMessage): void {
  if (headers.host !== undefined || httpVersionMinor === 0) return;
  throw new ServiceError('INVALID_BODY', 'The request has no Host header, which HTTP/1.1 asks for.', {
    headers: { connection: 'close' },
  });
}

function answerCall(call: Call, handler: Handler): void {
  try {
    const answer = handler(call);
    if (answer instanceof Promise) void answerLater(call, answer);
    else if (answer) transmit(call, answer);
  } catch (error) {
    transmit(call, refusalAnswer(error), call.note.faults);
  }
}

async function answerLater(call: Call, later: Promise<Answer | undefined>): Promise<void> {
  const answer = await later.catch(refusalAnswer);
  if (answer) transmit(call, answer, call.note.faults);
}

/** Takes a call up in the log. */
function noteArrival({ clock, log, onRequest }: AppParts, incoming: IncomingMessage, outgoing: ServerResponse) {
  const { headers, method = '', url = '', socket } = incoming;
  const note: CallNote = {
    arrivedMs: clock.now(),
    method,
    url,
    authorization: headers.authorization,
    endpoint: undefined,
    account: undefined,
    faults: noFaults,
    body: undefined,
    isLogged: false,
    isWaiting: outgoing.socket === null,
    response: outgoing,
    sizeBytes: socket.bytesWritten,
    elapsedMs: performance.now(),
    status: 0,
  };
  if (isAboutServer(url)) return note;
  log.open(note);
  // Once for every call, the ones whose connection is cut included.
  outgoing.on('close', () => {
    log.end(note);
    onRequest?.(toLogged(note));
  });
  if (note.isWaiting) {
    closeWithConnection(socket, outgoing, () => {
      note.isWaiting = false;
      note.sizeBytes = socket.bytesWritten;
    });
  }
  return note;
}

const noFaults: readonly Strike[] = [];

/** Adds the calls of the service, which faults may strike. */
export function addEndpoints(routes: Routes, parts: AppParts): void {
  const service = createService(parts);
  for (const [name, { method, path }] of Object.entries(endpoints)) {
    const endpoint = name as EndpointName;
    const answer = service[endpoint];
    routes.add(method, path, (call) => {
      const { note } = call;
      note.endpoint = endpoint;
      const caller = identify(parts, endpoint, call);
      note.account = caller.account;
      parts.rateLimit?.admit(caller.account?.email ?? call.incoming.socket.remoteAddress ?? '', parts.clock.now());
      note.faults = parts.faults.strike(endpoint, caller.account);
      return note.faults.length > 0 ? answerStruck(call, endpoint) : answer(call, caller);
    });
  }

  /** Answers a call that faults strike: they may be slow, they may answer themselves, and they may end its token. */
  async function answerStruck(call: Call, endpoint: EndpointName): Promise<Answer | undefined> {
    const revokeToken = (): void => parts.sessions.revoke(call.authorization?.trim() ?? '');
    if (await answerByFault(call, revokeToken)) return undefined;
    return service[endpoint](call, identify(parts, endpoint, call));
  }
}

/** Whose call it is, as far as can be told without refusing it: for the log, the faults and the rate limit. */
function identify({ sessions, clock }: AppParts, endpoint: EndpointName, call: Call): Caller {
  try {
    if (endpoint !== 'auth') return { account: sessions.authorize(call.authorization, clock.now()) };
    const account = sessions.accountOf(readCredentials(call.parameters).email ?? '');
    return account ? { account } : unknownCaller;
  } catch (error) {
    return { refusal: toServiceError(error) };
  }
}

/** A sign-in says by itself what is wrong with it. */
const unknownCaller: Caller = { refusal: new ServiceError('INVALID_CREDENTIALS', 'Sign in.') };

const aboutServer = /^\/(?:__admin\/|(?:openapi\.json)?(?:\?|$))/;

/** Whether a path is about this server and no call of the service, which is what the log is of. */
function isAboutServer(url: string): boolean {
  return aboutServer.test(url);
}
