import type { Call } from '../http/call.ts';
import { transmit } from '../http/transmit.ts';

/**
 * Does what its faults do to a call in place of the service, or before it. Whether the call is over: answered, or cut.
 * Throws the `ServiceError` of a fault that is one of the service's own refusals.
 *
 * @param revokeToken ends the token of the call
 */
export async function answerByFault(call: Call, revokeToken: () => void): Promise<boolean> {
  for (const fault of call.note.faults) {
    if (fault.before) await fault.before(call, revokeToken);
    if (!fault.answer) continue;
    const answer = fault.answer(call);
    if (answer) transmit(call, answer);
    return true;
  }
  return false;
}
