import { formatDay, parseDay } from '../contract/values.ts';
import { formatDate, formatInstant, offsetAt, type Window } from '../query/calendar.ts';
import type { RowTime } from './row-times.ts';

export const secondsPerHour = 3_600;

const msPerDay = 86_400_000;

/** Hours, days or months of a window, each identified by a number that grows with time. */
export interface Calendar {
  readonly unit: 'hour' | 'day' | 'month';

  /** Returns `undefined` if the row has no such time, or if the time cannot be read. */
  numberOf(time: RowTime): number | undefined;

  /** Returns true if the whole unit is outside the window. */
  isOutside(number: number): boolean;

  /** Yields the units that lie entirely between the start of the window and a given instant. */
  until(end: number): Iterable<number>;

  /** Formats the unit for messages. */
  label(number: number): string;
}

/** Builds a calendar of days or months, which are counted from 1970. */
export function buildDateCalendar(window: Omit<Window, 'end'>, unit: 'day' | 'month'): Calendar {
  const { since, until, zone } = window;
  const toNumber = (day: number): number => {
    if (unit === 'day') return day;
    const date = new Date(day * msPerDay);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  };
  const numberAt = (instant: number): number => toNumber(parseDay(formatDate(instant, zone)) ?? 0);
  const label = (number: number): string => {
    if (unit === 'day') return formatDay(number);
    return new Date(Date.UTC(Math.floor(number / 12), number % 12)).toISOString().slice(0, 7);
  };

  const first = numberAt(since);
  const last = numberAt(until);
  return {
    unit,
    numberOf: ({ day }) => (day === undefined ? undefined : toNumber(day)),
    isOutside: (number) => number < first || number > last,
    *until(end) {
      const isFirstWhole = numberAt(since - 1) < first;
      const lastWhole = numberAt(end + 1) - 1;
      for (let number = isFirstWhole ? first : first + 1; number <= lastWhole; number++) {
        yield number;
      }
    },
    label,
  };
}

/** Builds a calendar of local hours, which are identified by the instants at which they begin. */
export function buildHourCalendar({ since, until, zone }: Omit<Window, 'end'>): Calendar {
  const secondsIntoHour = (instant: number): number =>
    (instant + offsetAt(instant, zone)) % secondsPerHour;
  const startOfNextHour = (instant: number): number =>
    instant + ((secondsPerHour - secondsIntoHour(instant)) % secondsPerHour);

  return {
    unit: 'hour',
    numberOf: ({ moment }) => moment && Math.floor(moment.instantMs / 1_000),
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
