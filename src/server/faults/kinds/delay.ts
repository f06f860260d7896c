import { setTimeout as sleep } from 'node:timers/promises';
import { parseDuration } from '../../../text/quantity.ts';
import type { FaultKind } from '../fault-kind.ts';

/** Timers hold 2^31 - 1 milliseconds at most, and end at once beyond it. */
const delayMsAtMost = 2 ** 31 - 1;

export const delay: FaultKind = {
  meaning: 'the answer comes so much later: milliseconds, or 2s',
  keys: { ms: '500' },
  read(keys) {
    const value = keys.take('ms') ?? '';
    const delayMs = /^\d{1,9}$/.test(value) ? Number(value) : parseDuration(value);
    if (delayMs === undefined || delayMs > delayMsAtMost) {
      const problem = value === '' ? 'ms= is missing' : `ms=${value} is no number of milliseconds up to 24 days`;
      throw keys.wrong(problem, 'For example delay:ms=500.');
    }
    return { before: () => sleep(delayMs, undefined, { ref: false }) };
  },
};
