import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointName } from '../contract/messages.ts';
import { type Answer, refusalAnswer, send } from './answer.ts';
import type { Account } from './fixtures/fixtures.ts';
import { parseBody } from './request/parse-body.ts';
import { bodyForLog, type LogEntry } from './request-log.ts';
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
  const { sessions, clock, faults } = services;
  const { authorization = '' } = request.headers;
  const entry = request.getDecorator<LogEntry>('logEntry');
  const call = readCall(request, reply, entry);

  const caller = identify(services, endpoint, { authorization, call });
  sessions.admit(caller.account?.email ?? request.ip, clock.now());

  const strikes = faults.ofCall(endpoint, caller.account);
  entry.account = caller.account?.name;
  entry.faults = strikes.map(({ type }) => type);

  for (const { effect } of strikes) {
    if (effect.delayMs !== undefined) await sleep(effect.delayMs, undefined, { ref: false });
    if (!effect.answer) continue;

    const answer = effect.answer(request.raw, () => sessions.revoke(authorization));
    return answer ? send(request, reply, answer) : reply.hijack();
  }

  // Faults change the answer that refuses a call too.
  const changes = strikes.flatMap(({ effect }) => effect.changeBody ?? []);
  return send(request, reply, answerOf(caller), changes);
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

/** Aborted when the client of an answer is gone. */
export function signalOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort(new Error('The client is gone.')));
  return gone.signal;
}

/** A call as the service sees it. Its body is logged once it could be read. */
function readCall(request: FastifyRequest, reply: FastifyReply, entry: LogEntry): ServiceCall {
  const body = bodyOf(request);

  return {
    accept: request.headers.accept,
    bodyBytes: body.length,
    signal: signalOf(reply),
    parameters() {
      const [contentType] = request.raw.headersDistinct['content-type'] ?? [];
      const parameters = parseBody(body, contentType, request.headers['content-encoding']);
      entry.body = bodyForLog(body);
      return parameters;
    },
  };
}
