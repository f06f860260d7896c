import { setMaxListeners } from 'node:events';

/** Aborts with the first of the signals. Allows any number of listeners. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  return forManyListeners(AbortSignal.any([...signals]));
}

/** Returns the signal without Node's default warning about more than ten listeners. */
export function forManyListeners(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}
