import { setMaxListeners } from 'node:events';
import { setTimeout as sleepFor } from 'node:timers/promises';

/** Aborts with the first of the signals. Allows any number of listeners. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  return forManyListeners(AbortSignal.any([...signals]));
}

/** Returns the signal without Node's default warning about more than ten listeners. */
export function forManyListeners(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}

/** For longer times, Node's timers fire at once. */
const maxSleepMs = 2 ** 31 - 1;

/** Rejects with the signal's reason when it is aborted. */
export async function sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleepFor(Math.min(durationMs, maxSleepMs), undefined, { signal });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}
