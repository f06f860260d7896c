import { dayOf, formatDay, parseTimestamp } from '../contract/values.ts';
import { formatDate, formatInstant, offsetAt, type Window } from '../query/calendar.ts';

export const secondsPerHour = 3_600;

/** Days, hours or months of a window, each identified by a number that grows with time. */
export interface Calendar {
  readonly unit: 'hour' | 'day' | 'month';

  /**
   * Returns the number of the unit that contains a row's time; `undefined` if the value is not a
   * time.
   */
  read(value: unknown): number | undefined;

  /** Checks whether the whole unit is outside the window. */
  isOutside(time: number): boolean;

  /** Checks whether the unit begins after now. */
  isFuture(time: number): boolean;

  /** Yields the units that are entirely in the window and over by now. */
  over(): Iterable<number>;

  /** Names the unit in messages. */
  label(time: number): string;
}

/**
 * Counts days or months from 1970.
 *
 * @param now in unix seconds
 */
export function calendarOfDates(window: Window, unit: 'day' | 'month', now: number): Calendar {
  const { since, until, zone } = window;
  const read = (value: unknown): number | undefined => {
    const day = typeof value === 'string' ? dayOf(value) : undefined;
    if (day === undefined || unit === 'day') return day;
    const [year, month] = String(value).split('-');
    return Number(year) * 12 + Number(month) - 1;
  };
  const timeAt = (instant: number): number => read(formatDate(instant, zone)) ?? 0;

  const first = timeAt(since);
  const last = timeAt(until);
  const current = timeAt(now);
  return {
    unit,
    read,
    isOutside: (time) => time < first || time > last,
    isFuture: (time) => time > current,
    *over() {
      const isFirstWhole = timeAt(since - 1) < first;
      const end = Math.min(until, now);
      const isLastWhole = timeAt(end + 1) > timeAt(end);
      const lastOver = isLastWhole ? timeAt(end) : timeAt(end) - 1;
      for (let time = isFirstWhole ? first : first + 1; time <= lastOver; time++) yield time;
    },
    label(time) {
      if (unit === 'day') return formatDay(time);
      return new Date(Date.UTC(Math.floor(time / 12), time % 12)).toISOString().slice(0, 7);
    },
  };
}

/**
 * Identifies local hours by the instants at which they begin.
 *
 * @param now in unix seconds
 */
export function calendarOfHours({ since, until, zone }: Window, now: number): Calendar {
  const intoHour = (instant: number): number =>
    (instant + offsetAt(instant, zone)) % secondsPerHour;

  return {
    unit: 'hour',
    read(value) {
      const moment = typeof value === 'string' ? parseTimestamp(value) : undefined;
      return moment && Math.floor(moment.instantMs / 1_000);
    },
    isOutside: (hour) => hour + secondsPerHour - 1 < since || hour > until,
    isFuture: (hour) => hour > now,
    *over() {
      const end = Math.min(until, now);
      let start = since + ((secondsPerHour - intoHour(since)) % secondsPerHour);
      while (start + secondsPerHour - 1 <= end) {
        yield start;
        start += secondsPerHour;
        // A clock change of thirty minutes (Lord Howe) leaves a partial hour, which may be empty.
        start += (secondsPerHour - intoHour(start)) % secondsPerHour;
      }
    },
    label: (hour) => formatInstant(hour, zone),
  };
}
