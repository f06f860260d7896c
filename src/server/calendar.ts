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

/** Counts the days from 1970-01-01 to the day of an instant in unix seconds. */
export function dayNumber(seconds: number, zone: string | IANAZone): number {
  const { year, month, day } = DateTime.fromSeconds(seconds, { zone });
  return Date.UTC(year, month - 1, day) / 86_400_000;
}

/** A day in a zone. */
interface LocalDay {
  /** Date, `2014-12-01`. */
  readonly date: string;

  /** Number of the day, as `dayNumber` counts. */
  readonly number: number;

  /** The first hour that was looked up, and the first hour after the day, since 1970. */
  readonly firstHour: number;
  readonly endHour: number;
}

/**
 * Returns a function that finds the day of an hour since 1970. Looking up a zone is slow. Hours
 * arrive in order, so each day is looked up once.
 */
export function localDays(zoneName: string): (hour: number) => LocalDay {
  const zone = IANAZone.create(zoneName);
  let day: LocalDay | undefined;

  return (hour) => {
    if (day && hour >= day.firstHour && hour < day.endHour) return day;

    const local = DateTime.fromSeconds(hour * hourSeconds, { zone });
    const nextDay = local.startOf('day').plus({ days: 1 }).startOf('day');
    day = {
      date: local.toFormat('yyyy-MM-dd'),
      number: dayNumber(hour * hourSeconds, zone),
      firstHour: hour,
      endHour: Math.max(hour + 1, Math.ceil(nextDay.toSeconds() / hourSeconds)),
    };
    return day;
  };
}

/**
 * Returns the row fields of a time breakdown, as a function of the hour since 1970. Consecutive
 * hours with equal fields belong to the same rows, so that days with a clock change have 23 or 25
 * hours, and the repeated hour has its own rows.
 * @param since start of the window in unix seconds; its day is the date of RANGE rows
 */
export function timeFields(
  breakdown: TimeBreakdownName | undefined,
  zoneName: string,
  since: number,
): (hour: number) => Readonly<Record<string, string>> {
  const zone = IANAZone.create(zoneName);
  const findDay = localDays(zoneName);

  switch (breakdown) {
    case undefined:
      return () => ({});
    case 'RANGE': {
      const date = DateTime.fromSeconds(since, { zone }).toFormat('yyyy-MM-dd');
      return () => ({ date });
    }
    case 'MONTHLY':
      return (hour) => ({ date: findDay(hour).date.replace(/..$/, '01') });
    case 'DAILY':
      return (hour) => ({ date: findDay(hour).date });
    case 'HOURLY':
      return (hour) => {
        const local = DateTime.fromSeconds(hour * hourSeconds, { zone });
        return { date: findDay(hour).date, hour: local.toFormat("yyyy-MM-dd'T'HH:00:00ZZZ") };
      };
  }
}

/**
 * Converts a wall time to unix seconds. The wall time is given as the unix seconds of the same
 * digits in UTC. `which` selects the instant if a clock change repeats the hour.
 */
export function wallTimeToInstant(seconds: number, zone: string, which: 'first' | 'last'): number {
  const digits = DateTime.fromSeconds(seconds, { zone: 'utc' });
  const local = digits.setZone(zone, { keepLocalTime: true });
  const instants = local.getPossibleOffsets().map((instant) => instant.toUnixInteger());
  return which === 'first' ? Math.min(...instants) : Math.max(...instants);
}

/** Converts a wall time, at least two hours away from a clock change, to hours since 1970. */
export function wallTimeToHours(wallTime: string, zone: string): number {
  const digitsAsUtcMs = Date.parse(`${wallTime.replace(' ', 'T')}Z`);
  const offsetMinutes = IANAZone.create(zone).offset(digitsAsUtcMs);
  return (digitsAsUtcMs / 60_000 - offsetMinutes) / 60;
}
