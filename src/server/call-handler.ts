import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointName } from '../contract/messages.ts';
import { type Answer, refusalAnswer, send } from './answer.ts';
import { changeAnswer } from './faults/change-answer.ts';
import type { ActiveFault } from './faults/faults.ts';
import type { Account } from './fixtures/fixtures.ts';
import type { FaultRequest } from './local-server.ts';
import { type Parameters, parseBody, readScalar } from './request/parse-body.ts';
import { seenRequest } from './request/seen-request.ts';
import { type LogEntry, logEntryOf } from './request-log.ts';
import { readCredentials, type ServiceCall, signedCalls, signIn } from './service/service.ts';
import type { Services } from './services.ts';

/**
 * Whose call it is, and how the service answers it once the rate limit and the faults have had
 * their say.
 */
interface Caller {
  readonly account: Account | undefined;

  /** Throws `ServiceError`. */
  answer(): Answer;
}

/** A call over HTTP. */
interface IncomingCall {
  readonly endpoint: EndpointName;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Answers a call of the service over HTTP. It passes these steps: its account is found, the rate
 * limit and the faults get their say, then the service answers, and the answer is sent as the
 * client likes it.
 */
export async function handleCall(
  services: Services,
  { endpoint, request, reply }: IncomingCall,
): Promise<FastifyReply> {
  const { sessions, clock, faults, calls } = services;
  const { authorization = '' } = request.headers;
  const signal = calls.signalOf(reply.raw);
  // A call that was ended before its turn must leave nothing behind.
  if (signal.aborted) return reply.hijack();

  const call = readCall(request, signal);
  const caller = identify(services, endpoint, { authorization, call });
  sessions.admit(caller.account?.email ?? request.ip, clock.now());

  const fault = faults.ofCall(endpoint, caller.account, call.seen);
  note(request, { account: caller.account?.name, faults: fault ? [fault.type] : [] });
  if (!fault) return send(request, reply, answerOf(caller));

  const { effect } = fault;
  if (effect.delayMs !== undefined && !(await hasWaited(effect.delayMs, signal))) {
    return reply.hijack();
  }

  if (effect.answer) {
    const answer = effect.answer(request.raw, () => sessions.revoke(authorization));
    return answer ? send(request, reply, answer) : reply.hijack();
  }

  const answer = await changedAnswer(answerOf(caller), fault, call.seen);
  if (fault.effect.change && answer.status >= 400) {
    // The service refused the call: its answer was not changed.
    faults.withdraw(fault);
    note(request, { faults: [] });
  }
  // Faults slow and cut the answer that refuses a call too.
  return send(request, reply, answer, effect.changeBody ? [effect.changeBody] : []);
}

/** Notes in the log what is now known of a call. */
function note({ raw }: FastifyRequest, known: Partial<LogEntry>): void {
  Object.assign(logEntryOf(raw) ?? {}, known);
}

/** Waits; `false` where the call is ended meanwhile. */
async function hasWaited(durationMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(durationMs, undefined, { ref: false, signal });
    return true;
  } catch {
    return false;
  }
}

/** The answer that a fault makes of the service's. */
async function changedAnswer(
  answer: Answer,
  { effect }: ActiveFault,
  { body }: FaultRequest,
): Promise<Answer> {
  if (effect.replace) return effect.replace(answer.reportId ?? readScalar(body.id));
  if (!effect.change || answer.status >= 400) return answer;
  return await changeAnswer(answer, effect.change);
}

/**
 * Whose call it is: at sign-in the e-mail tells, elsewhere the token. A caller that is refused is
 * nobody.
 */
function identify(
  services: Services,
  endpoint: EndpointName,
  { authorization, call }: { readonly authorization: string; readonly call: ServiceCall },
): Caller {
  const { sessions, clock } = services;

  try {
    if (endpoint === 'auth') {
      const credentials = readCredentials(call.parameters());
      return {
        account: sessions.accountOf(credentials.email),
        answer: () => signIn(services, credentials),
      };
    }

    const account = sessions.authorize(authorization, clock.now());
    return { account, answer: () => signedCalls[endpoint](services, account, call) };
  } catch (error) {
    return { account: undefined, answer: () => refusalAnswer(error) };
  }
}

function answerOf(caller: Caller): Answer {
  try {
    return caller.answer();
  } catch (error) {
    return refusalAnswer(error);
  }
}

/** The bytes of a request's body; none where it has no body. */
export function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/** A call as the service sees it, and as faults do. */
function readCall(request: FastifyRequest, signal: AbortSignal): ServiceCall {
  const body = bodyOf(request);
  const parameters = parametersOf(request, body);

  return {
    accept: request.headers.accept,
    query: Object.keys(request.query as object),
    bodyBytes: body.length,
    signal,
    seen: seenRequest(request.raw, readable(parameters)),
    parameters,
  };
}

/** Reads the parameters of a body, once. Throws `ServiceError` where that is not possible. */
function parametersOf(request: FastifyRequest, body: Buffer): () => Parameters {
  let read: Parameters | undefined;

  return () => {
    const [contentType] = request.raw.headersDistinct['content-type'] ?? [];
    read ??= parseBody(body, contentType, request.headers['content-encoding']);
    return read;
  };
}

/** The parameters of a body; none where they cannot be read. */
function readable(parameters: () => Parameters): Parameters {
  try {
    return parameters();
  } catch {
    return {};
  }
}
