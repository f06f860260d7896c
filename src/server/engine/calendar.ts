import { DateTime, IANAZone } from 'luxon';
import type { TimeBreakdownName } from '../../contract/vocabulary.ts';

const hourSeconds = 3_600;
const daySeconds = 86_400;

/** A stretch of whole UTC hours that makes one row of time: a local hour, day or month, or the whole window. */
export interface Bucket {
  readonly firstHour: number;
  readonly lastHour: number;
  /** The values of the time breakdown's row fields; none without a time breakdown. */
  readonly labels: readonly string[];
}

/** The local time of a zone. Hours are counted since 1970-01-01T00:00Z, and stand for their first instant. */
export interface Calendar {
  /** `2014-12-01T00:00:00+0100` for an instant in unix seconds. */
  localTime(seconds: number): string;
  /** The number, since 1970-01-01, of the local day that an hour lies in. */
  localDay(hour: number): number;
  /**
   * The rows of time of a window in unix seconds, both ends included, as far as it lies within `extent`.
   * Clock changes make days of 23 and 25 hours, and the doubled hour is two buckets.
   */
  buckets(
    breakdown: TimeBreakdownName | undefined,
    window: { readonly since: number; readonly until: number },
    extent: { readonly firstHour: number; readonly lastHour: number },
  ): Generator<Bucket>;
}

/** The calendar of a zone by its IANA name, which must be known. */
export function createCalendar(zoneName: string): Calendar {
  const zone = IANAZone.create(zoneName);
  const offsetAt = hourOffsets(zone);
  const localSeconds = (hour: number): number => hour * hourSeconds + offsetAt(hour);
  const localDay = (hour: number): number => Math.floor(localSeconds(hour) / daySeconds);
  const localTime = (seconds: number): string => isoTime(seconds, offsetSeconds(zone, seconds));

  const bucketFrom = (breakdown: 'DAILY' | 'HOURLY' | 'MONTHLY', hour: number, lastHour: number): Bucket => {
    const day = localDay(hour);
    const date = isoDate(day);
    if (breakdown === 'HOURLY') {
      const start = Math.floor(localSeconds(hour) / hourSeconds) * hourSeconds;
      const offset = offsetAt(hour);
      return { firstHour: hour, lastHour: hour, labels: [date, isoTime(start - offset, offset)] };
    }
    const nextDay = breakdown === 'DAILY' ? day + 1 : firstDayOfNextMonth(day);
    let last = hour;
    while (last < lastHour && localDay(last + 1) < nextDay) last++;
    return { firstHour: hour, lastHour: last, labels: [breakdown === 'DAILY' ? date : `${date.slice(0, -2)}01`] };
  };

  return {
    localTime,
    localDay,
    *buckets(breakdown, { since, until }, extent) {
      const firstHour = Math.max(Math.ceil(since / hourSeconds), extent.firstHour);
      const lastHour = Math.min(Math.floor(until / hourSeconds), extent.lastHour);
      if (lastHour < firstHour) return;
      if (breakdown === undefined || breakdown === 'RANGE') {
        yield { firstHour, lastHour, labels: breakdown ? [localTime(since).slice(0, 10)] : [] };
        return;
      }
      for (let hour = firstHour; hour <= lastHour; ) {
        const bucket = bucketFrom(breakdown, hour, lastHour);
        yield bucket;
        hour = bucket.lastHour + 1;
      }
    },
  };
}

/** The instant of a zone's wall time `YYYY-MM-DD HH:MM:SS`, in unix seconds; not a number where there is no such time. */
export function instantOf(wallTime: string, zoneName: string): number {
  return DateTime.fromSQL(wallTime, { zone: zoneName }).toUnixInteger();
}

function offsetSeconds(zone: IANAZone, seconds: number): number {
  return Math.round(zone.offset(seconds * 1_000) * 60);
}

/**
 * A zone's offset at the start of each hour. The zone database is asked twice a day, and hour by hour only on the days
 * where the answers differ: no zone has changed its clocks and changed them back within a day.
 */
function hourOffsets(zone: IANAZone): (hour: number) => number {
  let day = Number.NaN;
  let atStart = 0;
  let atEnd = 0;
  return (hour) => {
    const dayOfHour = Math.floor(hour / 24);
    if (dayOfHour !== day) {
      atStart = dayOfHour === day + 1 ? atEnd : offsetSeconds(zone, dayOfHour * daySeconds);
      atEnd = offsetSeconds(zone, (dayOfHour + 1) * daySeconds);
      day = dayOfHour;
    }
    return atStart === atEnd ? atStart : offsetSeconds(zone, hour * hourSeconds);
  };
}

function firstDayOfNextMonth(day: number): number {
  const date = new Date(day * daySeconds * 1_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / (daySeconds * 1_000);
}

function isoDate(day: number): string {
  return new Date(day * daySeconds * 1_000).toISOString().slice(0, -14);
}

function isoTime(seconds: number, offset: number): string {
  const local = new Date((seconds + offset) * 1_000).toISOString().slice(0, -5);
  const minutes = Math.trunc(Math.abs(offset) / 60);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}${two(minutes % 60)}`;
}
