import { setMaxListeners } from 'node:events';

/** A signal that is aborted with the first of some, and that every call under way may listen to. */
export function anyOf(...signals: readonly AbortSignal[]): AbortSignal {
  return forManyListeners(AbortSignal.any([...signals]));
}

/**
 * The same signal. Node warns of more than ten listeners by default, and many calls may wait for
 * one signal.
 */
export function forManyListeners(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}
