import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointName } from '../contract/messages.ts';
import { changeAnswer } from './faults/change-answer.ts';
import { FaultMistake } from './faults/fault-mistake.ts';
import type { ActiveFault } from './faults/faults.ts';
import type { Account } from './fixtures/fixtures.ts';
import { type Answer, refusalAnswer, send } from './http-answer.ts';
import type { FaultRequest } from './public-types.ts';
import { toFaultRequest } from './request/fault-request.ts';
import { type Parameters, parseBody, readScalar } from './request/parse-body.ts';
import { type LogEntry, logEntryOf } from './request-log.ts';
import { readCredentials, type ServiceCall, signedCalls, signIn } from './service/service.ts';
import type { Services } from './services.ts';

/** A call whose account has been looked up, but which the service has not handled yet. */
interface IdentifiedCall {
  /** `undefined` for a refused call. */
  readonly account: Account | undefined;

  /** Throws `ServiceError`. */
  answer(): Answer;
}

interface IncomingCall {
  readonly endpoint: EndpointName;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Handles a service call: finds its account, applies rate limit and faults, sends the response. */
export async function handleCall(
  services: Services,
  { endpoint, request, reply }: IncomingCall,
): Promise<FastifyReply> {
  const { sessions, clock, faults, calls } = services;
  const { authorization = '' } = request.headers;
  const signal = calls.signalOf(reply.raw);
  // A call that `reset` has already ended must not create anything.
  if (signal.aborted) return reply.hijack();

  const call = readCall(request, signal);
  const identified = identify(services, endpoint, { authorization, call });
  sessions.countCall(identified.account?.email ?? request.ip, clock.now());

  const fault = faults.forCall(endpoint, identified.account, call.faultRequest);
  updateLog(request, { account: identified.account?.name, faults: fault ? [fault.type] : [] });
  if (!fault) return send(request, reply, respondTo(identified));

  const { effect } = fault;
  if (effect.delayMs !== undefined) {
    const isAborted = await waitOrAbort(effect.delayMs, signal);
    if (isAborted) return reply.hijack();
  }

  if (effect.answer) {
    const answer = effect.answer(request.raw, () => sessions.revoke(authorization));
    return answer ? send(request, reply, answer) : reply.hijack();
  }

  const answer = await applyFault(respondTo(identified), fault, call.faultRequest);
  if (fault.effect.change && answer.status >= 400) {
    // Error responses are not changed, so the fault did not strike.
    faults.withdraw(fault);
    updateLog(request, { faults: [] });
  }
  // Faults slow and cut error responses too.
  return send(request, reply, answer, effect.changeBody);
}

function updateLog({ raw }: FastifyRequest, values: Partial<LogEntry>): void {
  Object.assign(logEntryOf(raw) ?? {}, values);
}

/** Returns true if the call ended in the meantime. */
async function waitOrAbort(durationMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(durationMs, undefined, { ref: false, signal });
    return false;
  } catch {
    return true;
  }
}

/** Gets the service's response, then changes or replaces it as the fault says. */
async function applyFault(
  answer: Answer,
  { effect }: ActiveFault,
  { body }: FaultRequest,
): Promise<Answer> {
  if (effect.replace) return effect.replace(answer.reportId ?? readScalar(body.id));
  if (!effect.change || answer.status >= 400) return answer;
  return await changeAnswer(answer, effect.change);
}

/** Finds the account by e-mail at sign-in and by token otherwise. */
function identify(
  services: Services,
  endpoint: EndpointName,
  { authorization, call }: { readonly authorization: string; readonly call: ServiceCall },
): IdentifiedCall {
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

/** Turns every error into a response, except `FaultMistake`, which it throws. */
function respondTo(call: IdentifiedCall): Answer {
  try {
    return call.answer();
  } catch (error) {
    if (error instanceof FaultMistake) throw error;
    return refusalAnswer(error);
  }
}

/** Returns an empty buffer for a request without a body. */
export function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function readCall(request: FastifyRequest, signal: AbortSignal): ServiceCall {
  const body = bodyOf(request);
  const parameters = createParameterReader(request, body);

  return {
    accept: request.headers.accept,
    query: Object.keys(request.query as object),
    signal,
    faultRequest: toFaultRequest(request.raw, parametersOrEmpty(parameters)),
    parameters,
  };
}

/** Returns a function that parses the body on its first call. It throws `ServiceError`. */
function createParameterReader(request: FastifyRequest, body: Buffer): () => Parameters {
  let read: Parameters | undefined;

  return () => {
    const [contentType] = request.raw.headersDistinct['content-type'] ?? [];
    read ??= parseBody(body, contentType, request.headers['content-encoding']);
    return read;
  };
}

function parametersOrEmpty(parameters: () => Parameters): Parameters {
  try {
    return parameters();
  } catch {
    return {};
  }
}
