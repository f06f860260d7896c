import { setMaxListeners } from 'node:events';
import { setTimeout as sleepFor } from 'node:timers/promises';

/** Returns a signal that the first of several aborts. Allows any number of listeners. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  return allowManyListeners(AbortSignal.any([...signals]));
}

/** Turns off Node's warning about more than ten listeners. Returns the same signal. */
export function allowManyListeners(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}

/** Node's timers fire immediately if the time is longer. */
const maxSleepMs = 2 ** 31 - 1;

/** Resolves after a time. Rejects with the reason of the signal when it is aborted. */
export async function sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleepFor(Math.min(durationMs, maxSleepMs), undefined, { signal });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}
