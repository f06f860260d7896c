import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointName } from '../contract/messages.ts';
import { type Answer, refusalAnswer, send } from './answer.ts';
import type { Account } from './fixtures/fixtures.ts';
import { parseBody } from './request/parse-body.ts';
import { bodyForLog, type LogEntry } from './request-log.ts';
import { ReportingService, readCredentials, type ServiceCall } from './service/service.ts';
import type { Services } from './services.ts';

/** Whose call it is, and how the service answers it once the rate limit and the faults have had their say. */
interface Caller {
  readonly account: Account | undefined;
  /** Throws `ServiceError`. */
  answer(): Answer;
}

/**
 * Answers the calls of the service over HTTP. A call passes these steps: its account is found, the rate limit and the
 * faults get their say, then the service answers, and the answer is sent as the client likes it.
 */
export class CallHandler {
  readonly #services: Services;
  readonly #service: ReportingService;

  constructor(services: Services) {
    this.#services = services;
    this.#service = new ReportingService(services);
  }

  async handle(
    endpoint: EndpointName,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { sessions, clock, faults } = this.#services;
    const { authorization = '' } = request.headers;
    const entry = request.getDecorator<LogEntry>('logEntry');
    const call = readCall(request, reply, entry);

    const caller = this.#identify(endpoint, authorization, call);
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

  /** Whose call it is: at sign-in the e-mail tells, elsewhere the token. A caller that is refused is nobody. */
  #identify(endpoint: EndpointName, authorization: string, call: ServiceCall): Caller {
    const { sessions, clock } = this.#services;

    try {
      if (endpoint === 'auth') {
        const credentials = readCredentials(call.parameters());
        return {
          account: sessions.accountOf(credentials.email),
          answer: () => this.#service.signIn(credentials),
        };
      }

      const account = sessions.authorize(authorization, clock.now());
      return { account, answer: () => this.#service.answer(endpoint, account, call) };
    } catch (error) {
      return { account: undefined, answer: () => refusalAnswer(error) };
    }
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

/** A call as the service sees it. Its body is logged once it could be read. */
function readCall(request: FastifyRequest, reply: FastifyReply, entry: LogEntry): ServiceCall {
  const body = bodyOf(request);
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new Error('The client is gone.')));

  return {
    accept: request.headers.accept,
    bodyBytes: body.length,
    signal: gone.signal,
    parameters() {
      const [contentType] = request.raw.headersDistinct['content-type'] ?? [];
      const parameters = parseBody(body, contentType, request.headers['content-encoding']);
      entry.body = bodyForLog(body);
      return parameters;
    },
  };
}
