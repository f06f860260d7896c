import { setTimeout as sleep } from 'node:timers/promises';
import { parseDuration } from '../../../text/duration.ts';
import type { FaultKeys } from '../fault-keys.ts';
import type { FaultEffect, FaultKind } from '../fault-kind.ts';

interface Delay extends FaultEffect {
  readonly delayMs: number;
}

export const delay: FaultKind = {
  meaning: 'the answer comes so much later: milliseconds, or 2s',
  keys: { ms: '500' },
  read(keys): Delay {
    const delayMs = takeDelay(keys);
    return { delayMs, before: () => sleep(delayMs, undefined, { ref: false }) };
  },
};

/** Timers hold 2^31 - 1 milliseconds at most, and end at once beyond it. */
const delayMsAtMost = 2 ** 31 - 1;

function takeDelay(keys: FaultKeys): number {
  const value = keys.take('ms') ?? '';
  const delayMs = /^\d{1,9}$/.test(value) ? Number(value) : parseDuration(value);
  if (delayMs !== undefined && delayMs <= delayMsAtMost) return delayMs;
  const problem = value === '' ? 'ms= is missing' : `ms=${value} is no number of milliseconds up to 24 days`;
  throw keys.wrong(problem, 'For example delay:ms=500.');
}
