import { DateTime, IANAZone } from 'luxon';
import type { TimeBreakdownName } from '../contract/vocabulary.ts';
import { hourSeconds } from './fixtures/fixtures.ts';

/** Whether the platform knows the zone by an IANA name; offsets such as `+02:00` are no names. */
export function isZone(text: string): boolean {
  return /^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(text) && IANAZone.isValidZone(text);
}

/** `2014-12-01T00:00:00+0100` for an instant in unix seconds. */
export function localTime(seconds: number, zone: string): string {
  return DateTime.fromSeconds(seconds, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ");
}

/** The row fields that tell the time of an hour, which is counted since 1970. */
type TimeOfHour = (hour: number) => Readonly<Record<string, string>>;

/**
 * The row fields of a time breakdown for an hour, which stands for its first instant. Hours that
 * follow each other with equal fields make one row of time: clock changes make days of 23 and 25
 * hours, and the doubled hour is two rows.
 * @param since the start of the window in unix seconds, whose day names the row of RANGE
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

/** How many calendar days of a zone lie between the days of two instants, in unix seconds. */
export function daysBetween(earlier: number, later: number, zone: string): number {
  const dayOf = (seconds: number) => {
    const local = DateTime.fromSeconds(seconds, { zone });
    return local.setZone('utc', { keepLocalTime: true }).startOf('day');
  };
  return dayOf(later).diff(dayOf(earlier), 'days').days;
}

/**
 * The instant of a wall time, both in unix seconds: its digits are given as if they were UTC. Of an
 * hour that a clock change doubles it is the first one, or the last.
 */
export function instantOfWallTime(seconds: number, zone: string, which: 'first' | 'last'): number {
  const digits = DateTime.fromSeconds(seconds, { zone: 'utc' });
  const local = digits.setZone(zone, { keepLocalTime: true });
  const instants = local.getPossibleOffsets().map((instant) => instant.toUnixInteger());
  return which === 'first' ? Math.min(...instants) : Math.max(...instants);
}
