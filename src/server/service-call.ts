import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointName } from '../contract/messages.ts';
import { changeReply } from './faults/change-reply.ts';
import { FaultMistake } from './faults/fault-mistake.ts';
import { type Reply, refusalReply } from './reply.ts';
import { toFaultRequest } from './request/fault-request.ts';
import { type Parameters, parseBody } from './request/parse-body.ts';
import { type ServiceCall, signedCalls, signIn } from './service/service.ts';
import type { Services } from './services.ts';

interface ArrivedCall {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
}

/**
 * Handles a service call: applies rate limit and faults, and signs in. Resolves to nothing if the
 * connection has ended. Throws `ServiceError`, and `FaultMistake` for a mistake of the test.
 */
export async function respondToCall(
  services: Services,
  endpoint: EndpointName,
  { incoming, outgoing, body }: ArrivedCall,
): Promise<Reply | undefined> {
  const { sessions, clock, faults } = services;
  const { authorization = '' } = incoming.headers;
  const signal = createSignal(outgoing);
  const call = readCall(incoming, body, signal);
  sessions.countCall(authorization, incoming.socket.remoteAddress, clock.now());

  const respond = (): Reply => {
    if (endpoint === 'auth') return signIn(services, call);
    const account = sessions.authorize(authorization, clock.now());
    return signedCalls[endpoint](services, account, call);
  };

  const fault = faults.strikeCall(endpoint, call.faultRequest);
  if (!fault) return respond();

  const { delayMs, respond: respondInstead, change, changeBody } = fault;
  if (delayMs !== undefined) {
    await sleep(delayMs, undefined, { ref: false, signal }).catch(() => {});
    // A call that has ended must not create anything.
    if (signal.aborted) return undefined;
  }
  if (respondInstead) return respondInstead(incoming, () => sessions.revoke(authorization));

  // Faults slow and cut refusals too.
  const reply = respondOrRefuse(respond);
  const isChanged = change !== undefined && reply.status < 400;
  return { ...(isChanged ? await changeReply(reply, change) : reply), changeBody };
}

/** Returns a signal that is aborted when the connection ends. */
function createSignal(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  outgoing.once('close', () => controller.abort());
  return controller.signal;
}

function respondOrRefuse(respond: () => Reply): Reply {
  try {
    return respond();
  } catch (error) {
    if (error instanceof FaultMistake) throw error;
    return refusalReply(error);
  }
}

function readCall(incoming: IncomingMessage, body: Buffer, signal: AbortSignal): ServiceCall {
  const { headers, url = '' } = incoming;
  let parameters: Parameters = {};
  let refusal: unknown;
  try {
    parameters = parseBody(body, headers['content-type'], headers['content-encoding']);
  } catch (error) {
    refusal = error;
  }

  return {
    accept: headers.accept,
    query: [...new URLSearchParams(url.split('?')[1]).keys()],
    signal,
    faultRequest: toFaultRequest(incoming, parameters),
    parameters() {
      if (refusal) throw refusal;
      return parameters;
    },
  };
}
