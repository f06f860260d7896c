import { DateTime, IANAZone } from 'luxon';
import type { TimeBreakdownName } from '../contract/vocabulary.ts';
import { hourSeconds } from './fixtures/fixtures.ts';

/** Accepts IANA zone names that the platform knows, but no offsets such as `+02:00`. */
export function isZone(text: string): boolean {
  return /^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(text) && IANAZone.create(text).isValid;
}

/** Formats an instant in unix seconds as `2014-12-01T00:00:00+0100`. */
export function localTime(seconds: number, zone: string): string {
  return DateTime.fromSeconds(seconds, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ");
}

/** Returns the time fields of a row for an hour since 1970. */
type TimeOfHour = (hour: number) => Readonly<Record<string, string>>;

/**
 * Returns the row fields of a time breakdown, as a function of the hour. Consecutive hours with
 * equal fields belong to the same rows, so that days with a clock change have 23 or 25 hours, and
 * the repeated hour has its own rows.
 * @param since start of the window in unix seconds; its day is the date of RANGE rows
 */
export function timeFields(
  breakdown: TimeBreakdownName | undefined,
  zoneName: string,
  since: number,
): TimeOfHour {
  const zone = IANAZone.create(zoneName);
  const localHour = (hour: number) => DateTime.fromSeconds(hour * hourSeconds, { zone });

  switch (breakdown) {
    case undefined:
      return () => ({});
    case 'RANGE': {
      const date = DateTime.fromSeconds(since, { zone }).toFormat('yyyy-MM-dd');
      return () => ({ date });
    }
    case 'MONTHLY':
      return (hour) => ({ date: localHour(hour).toFormat('yyyy-MM-01') });
    case 'DAILY':
      return (hour) => ({ date: localHour(hour).toFormat('yyyy-MM-dd') });
    case 'HOURLY':
      return (hour) => {
        const local = localHour(hour);
        return {
          date: local.toFormat('yyyy-MM-dd'),
          hour: local.toFormat("yyyy-MM-dd'T'HH:00:00ZZZ"),
        };
      };
  }
}

/** Counts the calendar days in a zone between two instants in unix seconds. */
export function daysBetween(earlier: number, later: number, zone: string): number {
  const dayOf = (seconds: number) => {
    const local = DateTime.fromSeconds(seconds, { zone });
    return local.setZone('utc', { keepLocalTime: true }).startOf('day');
  };
  return dayOf(later).diff(dayOf(earlier), 'days').days;
}

/**
 * Converts a wall time to unix seconds. The wall time is given as the unix seconds of the same
 * digits in UTC. `which` selects the instant if a clock change repeats the hour.
 */
export function instantOfWallTime(seconds: number, zone: string, which: 'first' | 'last'): number {
  const digits = DateTime.fromSeconds(seconds, { zone: 'utc' });
  const local = digits.setZone(zone, { keepLocalTime: true });
  const instants = local.getPossibleOffsets().map((instant) => instant.toUnixInteger());
  return which === 'first' ? Math.min(...instants) : Math.max(...instants);
}
