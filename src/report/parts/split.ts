import { UsageError } from '../../errors.ts';
import { plusUnits, startOfUnit, type Window, ZoneClock } from '../window/window.ts';

export const splitUnits = ['day', 'week', 'month'] as const;

export type SplitUnit = (typeof splitUnits)[number];

/**
 * The window in parts, one a calendar unit of its zone (weeks begin on Monday), in time order. The parts tile it:
 * each begins one second after the one before ends; the first and the last are cut where the window is.
 */
export function splitWindow(window: Window, unit: SplitUnit): Window[] {
  const clock = new ZoneClock(window.zone);
  const parts: Window[] = [];
  let since = window.since;
  for (let wall = startOfUnit(clock.wallAt(since), unit); since <= window.until; ) {
    wall = plusUnits(wall, 1, unit);
    const next = clock.startOfDay(wall);
    // A day that the calendar skipped has no seconds, and a clock that went back over midnight repeats a boundary.
    if (next <= since) continue;
    const until = Math.min(next - 1, window.until);
    parts.push({ since, until, zone: window.zone, notes: [] });
    since = next;
  }
  return parts;
}

/** One machine's share of the parts of a window. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/**
 * `K/N` of `--shard`. K may count from 0 (Kubernetes' job index) or from 1 (GNU parallel's `{#}`): it is taken modulo
 * N, so any N neighbouring numbers share the parts out whole. Throws `UsageError`.
 */
export function parseShard(text: string): Shard {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim());
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || count < 1 || index > count) {
    throw new UsageError(`--shard ${text}: this is no shard.`, {
      hint: 'Give K/N, e.g. 1/4, 2/4, 3/4 and 4/4 on four machines (or 0/4 to 3/4).',
    });
  }
  return { index, count };
}

/** Every N-th part, beginning so that the shards of all K share the parts out without overlap. */
export function takeShard<T>(parts: readonly T[], { index, count }: Shard): T[] {
  return parts.filter((_, position) => position % count === index % count);
}
