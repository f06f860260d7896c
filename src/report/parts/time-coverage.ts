import type { BreakdownName } from '../../contract/vocabulary.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { formatInstant, type Window, ZoneClock } from '../window/window.ts';
import { splitWindow } from './parts.ts';

/** The days, hours or months of a report's window that have ended, and which of them its rows have shown. */
export interface TimeCoverage {
  readonly unit: 'day' | 'hour' | 'month';
  /** How many have ended. */
  readonly expectedCount: number;
  /** To be called with every batch. */
  observe(batch: RowBatch): void;
  /** Those without a row, in time order; none where a row's time could not be read. */
  missing(): string[];
}

/** More than this (eleven years of hours) are not kept. */
const keysAtMost = 100_000;

/**
 * The coverage that a request's time breakdown asks for; `undefined` where it has none, where all of the window is one
 * row's time (RANGE), and where it is longer than is kept.
 */
export function createTimeCoverage(expectation: {
  readonly window: Window;
  readonly breakdowns: readonly BreakdownName[];
  readonly nowMs: number;
}): TimeCoverage | undefined {
  const { window, breakdowns } = expectation;
  const now = Math.floor(expectation.nowMs / 1_000);
  if (breakdowns.includes('DAILY')) return coverDates(window, 'day', now);
  if (breakdowns.includes('MONTHLY')) return coverDates(window, 'month', now);
  return breakdowns.includes('HOURLY') ? coverHours(window, now) : undefined;
}

const secondsPerHour = 3_600;

/** The window's days or months that have ended by now, by their local dates. */
function coverDates(window: Window, unit: 'day' | 'month', now: number): TimeCoverage | undefined {
  const read = unit === 'day' ? readDay : readMonth;
  const ended = splitWindow(window, unit).filter(({ until }) => until <= now);
  const clock = new ZoneClock(window.zone);
  const keys = new Set(ended.map(({ since }) => read(clock.dateAt(since)) ?? ''));
  return cover({ unit, field: 'date', keys, read, label: (key) => key });
}

/**
 * The window's local hours that have ended by now, by the instants at which they begin. What a change of thirty minutes
 * (Lord Howe) leaves of an hour may hold nothing, and is not expected.
 */
function coverHours({ since, until, zone }: Window, now: number): TimeCoverage | undefined {
  const clock = new ZoneClock(zone);
  const intoHour = (instant: number): number => clock.wallAt(instant) % secondsPerHour;
  const keys = new Set<string>();
  for (let start = since - intoHour(since); start <= Math.min(until, now) && keys.size <= keysAtMost; ) {
    const end = start + secondsPerHour;
    if (Math.min(end - 1, until) <= now) keys.add(String(start));
    start = intoHour(end) === 0 ? end : end + secondsPerHour - intoHour(end);
  }
  const read = (text: string): string | undefined => {
    const instant = readInstant(text);
    return instant === undefined ? undefined : String(instant - intoHour(instant));
  };
  const label = (key: string): string => formatInstant(Number(key), zone);
  return cover({ unit: 'hour', field: 'hour', keys, read, label });
}

function readDay(text: string): string | undefined {
  return /^\d{4}-\d\d-\d\d/.exec(text)?.[0];
}

function readMonth(text: string): string | undefined {
  return /^\d{4}-\d\d/.exec(text)?.[0];
}

/** The whole unix seconds of a time with its offset. */
function readInstant(text: string): number | undefined {
  const instantMs = /[+-]\d\d:?\d\d$|Z$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instantMs) ? undefined : Math.floor(instantMs / 1_000);
}

interface ExpectedTimes {
  readonly unit: TimeCoverage['unit'];
  /** The row field that tells a row's time. */
  readonly field: 'date' | 'hour';
  readonly keys: ReadonlySet<string>;
  /** The key of the day, hour or month that a row's time lies in; `undefined` for what is no time. */
  readonly read: (text: string) => string | undefined;
  /** What people call it. */
  readonly label: (key: string) => string;
}

function cover({ unit, field, keys, read, label }: ExpectedTimes): TimeCoverage | undefined {
  if (keys.size > keysAtMost) return undefined;
  const missing = new Set(keys);
  let last = Buffer.alloc(0);
  let isReadable = true;

  function observeValue(bytes: Buffer, start: number, end: number): void {
    // Rows come in time order: almost every one has the time of the one before.
    if (isSame(last, bytes, start, end)) return;
    last = Buffer.from(bytes.subarray(start, end));
    const value: unknown = JSON.parse(last.toString());
    const key = typeof value === 'string' ? read(value) : undefined;
    if (key === undefined) isReadable = false;
    else missing.delete(key);
  }

  return {
    unit,
    expectedCount: keys.size,
    observe({ bytes, fields, rowCount, valueStarts, valueEnds }) {
      const index = fields.indexOf(field);
      if (index < 0) isReadable = false;
      for (let row = 0; row < rowCount && isReadable; row++) {
        const at = row * fields.length + index;
        const start = valueStarts[at] as number;
        if (start < 0) isReadable = false;
        else observeValue(bytes, start, valueEnds[at] as number);
      }
    },
    missing: () => (isReadable ? [...missing].map(label) : []),
  };
}

/** Whether the bytes of a range are these; for so few of them `Buffer.compare` takes longer to call than to compare. */
function isSame(expected: Buffer, bytes: Buffer, start: number, end: number): boolean {
  if (end - start !== expected.length) return false;
  for (let i = 0; i < expected.length; i++) if (bytes[start + i] !== expected[i]) return false;
  return true;
}
