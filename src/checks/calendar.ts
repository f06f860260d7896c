import { formatDay } from '../contract/values.ts';
import { formatDate, formatInstant, offsetAt, unitsIn, type Window } from '../query/calendar.ts';
import type { RowTime } from './row-times.ts';

export const secondsPerHour = 3_600;

/** The hours, days or months of a window, each identified by a key. */
export interface Calendar<Key> {
  readonly unit: 'hour' | 'day' | 'month';

  /** Returns `undefined` if the row has no such time, or an invalid time. */
  keyOf(time: RowTime): Key | undefined;

  /** Whether the whole unit is outside the window. */
  isOutside(key: Key): boolean;

  /** Yields the units that lie entirely between the start of the window and `end`. */
  until(end: number): Iterable<Key>;

  /** Formats the unit for messages. */
  label(key: Key): string;
}

/** Builds a calendar of days or months, with keys such as `2026-11-01` or `2026-11`. */
export function buildDateCalendar(
  { since, until, zone }: Omit<Window, 'end'>,
  unit: 'day' | 'month',
): Calendar<string> {
  const toKey = (day: string): string => (unit === 'day' ? day : day.slice(0, '2026-11'.length));
  const first = toKey(formatDate(since, zone));
  const last = toKey(formatDate(until, zone));
  return {
    unit,
    keyOf: ({ day }) => (day === undefined ? undefined : toKey(formatDay(day))),
    isOutside: (key) => key < first || key > last,
    *until(end) {
      for (const found of unitsIn({ since, until: end, zone }, unit)) {
        const isWhole = found.since >= since && found.end <= end + 1;
        if (isWhole) yield toKey(found.firstDay);
      }
    },
    label: (key) => key,
  };
}

/** Builds a calendar of local hours. The keys are the instants at which the hours begin. */
export function buildHourCalendar({ since, until, zone }: Omit<Window, 'end'>): Calendar<number> {
  const secondsIntoHour = (instant: number): number =>
    (instant + offsetAt(instant, zone)) % secondsPerHour;
  const startOfNextHour = (instant: number): number =>
    instant + ((secondsPerHour - secondsIntoHour(instant)) % secondsPerHour);

  return {
    unit: 'hour',
    keyOf: ({ timestamp }) => timestamp && Math.floor(timestamp.instantMs / 1_000),
    isOutside: (hour) => hour + secondsPerHour - 1 < since || hour > until,
    *until(end) {
      let hour = startOfNextHour(since);
      while (hour + secondsPerHour - 1 <= end) {
        yield hour;
        // A clock change of thirty minutes (Lord Howe) leaves a partial hour.
        hour = startOfNextHour(hour + secondsPerHour);
      }
    },
    label: (hour) => formatInstant(hour, zone),
  };
}
