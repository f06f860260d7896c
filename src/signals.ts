import { setMaxListeners } from 'node:events';

/** A signal that is aborted with the first of several, for any number of listeners. */
export function anyOf(...signals: readonly AbortSignal[]): AbortSignal {
  return forManyListeners(AbortSignal.any([...signals]));
}

/** Returns the signal without Node's default warning about more than ten listeners. */
export function forManyListeners(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}
