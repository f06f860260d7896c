import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointName } from '../contract/messages.ts';
import { changeReply } from './faults/change-reply.ts';
import { InvalidFaultError } from './faults/invalid-fault-error.ts';
import { type Reply, refusalReply } from './reply.ts';
import type { ServerCall } from './request/call.ts';
import { signedCalls, signIn } from './service/service.ts';
import type { Services } from './services.ts';

/**
 * Handles a service call: applies the rate limit and faults, checks the token, and responds.
 * Resolves to `undefined` if the connection has ended. Throws `ServiceError`.
 */
export async function respondToCall(
  services: Services,
  endpoint: EndpointName,
  call: ServerCall,
): Promise<Reply | undefined> {
  const { sessions, clock, faults } = services;
  const { incoming, request, signal } = call;
  const { authorization = '' } = incoming.headers;
  sessions.countCall(authorization, incoming.socket.remoteAddress, clock.now());

  const respond = (): Reply => {
    if (endpoint === 'auth') return signIn(services, call);
    const account = sessions.authorize(authorization, clock.now());
    return signedCalls[endpoint](services, account, call);
  };

  const fault = faults.applyToCall(endpoint, request);
  if (!fault) return respond();

  const { delayMs, respond: respondInstead, change, changeBody } = fault;
  if (delayMs !== undefined) {
    await sleep(delayMs, undefined, { ref: false, signal }).catch(() => {});
    // A call whose connection has ended must not create anything.
    if (signal.aborted) return undefined;
  }
  if (respondInstead) return respondInstead(incoming, () => sessions.revoke(authorization));

  // Faults also slow and cut error responses.
  const reply = respondOrRefuse(respond);
  const isChanged = change !== undefined && reply.status < 400;
  return { ...(isChanged ? await changeReply(reply, change) : reply), changeBody };
}

function respondOrRefuse(respond: () => Reply): Reply {
  try {
    return respond();
  } catch (error) {
    if (error instanceof InvalidFaultError) throw error;
    return refusalReply(error);
  }
}
