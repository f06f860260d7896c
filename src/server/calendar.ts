import { DateTime, IANAZone } from 'luxon';
import type { TimeBreakdownName } from '../contract/vocabulary.ts';
import { hourSeconds } from './fixtures/fixtures.ts';

/** Accepts IANA zone names that the platform knows, but no offsets such as `+02:00`. */
export function isZone(text: string): boolean {
  return /^[a-z]/i.test(text) && IANAZone.isValidZone(text);
}

/** Formats an instant in unix seconds as `2014-12-01T00:00:00+0100`. */
export function formatLocalTime(seconds: number, zone: string): string {
  return DateTime.fromSeconds(seconds, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ");
}

/**
 * Returns a function that converts hours since 1970 to dates such as `2014-12-01`. Looking up a
 * zone is slow, so each day is looked up once. Hours must be in order.
 */
export function createDateFinder(zoneName: string): (hour: number) => string {
  const zone = IANAZone.create(zoneName);
  let date = '';
  let firstHour = 0;
  let endHour = 0;

  return (hour) => {
    if (hour >= firstHour && hour < endHour) return date;

    const local = DateTime.fromSeconds(hour * hourSeconds, { zone });
    const nextDay = local.startOf('day').plus({ days: 1 }).startOf('day');
    date = local.toFormat('yyyy-MM-dd');
    firstHour = hour;
    endHour = Math.max(hour + 1, Math.ceil(nextDay.toSeconds() / hourSeconds));
    return date;
  };
}

/**
 * Returns a function that builds the row fields of a time breakdown for an hour since 1970.
 * Consecutive hours with equal fields belong to the same rows. A day with a clock change therefore
 * has 23 or 25 hours, and a repeated hour has its own rows.
 *
 * @param since start of the window in unix seconds, which gives RANGE rows their date
 */
export function createTimeFieldBuilder(
  breakdown: TimeBreakdownName | undefined,
  zoneName: string,
  since: number,
): (hour: number) => Readonly<Record<string, string>> {
  const zone = IANAZone.create(zoneName);
  const findDate = createDateFinder(zoneName);

  switch (breakdown) {
    case undefined:
      return () => ({});
    case 'RANGE': {
      const date = findDate(since / hourSeconds);
      return () => ({ date });
    }
    case 'MONTHLY':
      return (hour) => ({ date: findDate(hour).replace(/..$/, '01') });
    case 'DAILY':
      return (hour) => ({ date: findDate(hour) });
    case 'HOURLY':
      return (hour) => {
        const local = DateTime.fromSeconds(hour * hourSeconds, { zone });
        return { date: findDate(hour), hour: local.toFormat("yyyy-MM-dd'T'HH:00:00ZZZ") };
      };
  }
}

/**
 * Converts a wall time to unix seconds. If a clock change repeats the hour, `which` selects one of
 * the two instants.
 *
 * @param seconds unix seconds of the wall time, read as UTC
 */
export function wallTimeToInstant(seconds: number, zone: string, which: 'first' | 'last'): number {
  const digits = DateTime.fromSeconds(seconds, { zone: 'utc' });
  const local = digits.setZone(zone, { keepLocalTime: true });
  const instants = local.getPossibleOffsets().map((instant) => instant.toUnixInteger());
  return which === 'first' ? Math.min(...instants) : Math.max(...instants);
}
