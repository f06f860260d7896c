import { type DateObjectUnits, DateTime, IANAZone } from 'luxon';
import { nearest } from '../text/nearest.ts';
import { didYouMean, type FlagValue, refuse } from './mistakes.ts';

/**
 * Stretches of time in a report's zone, and the arithmetic of its clock and calendar.
 *
 * An instant is in unix seconds. A wall time is what a clock on the wall shows, as the unix seconds at which a clock
 * in UTC shows the same; so a calendar day is a wall time at midnight, and calendar arithmetic needs no zone.
 */

/** A stretch of time: its first and its last second, in unix seconds (`decisions.md` 2). */
export interface Span {
  readonly since: number;
  readonly until: number;
}

/** The window of a report. */
export interface Window extends Span {
  /** IANA name of the zone that days and wall times are of. */
  readonly zone: string;
  /** What the user should be told: how a skipped or doubled wall time was resolved. */
  readonly notes: readonly string[];
}

/** What whole days come in; weeks are those of ISO 8601. */
export type CalendarUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';

export const secondsPerDay = 86_400;

/** The wall time at which the unit begins that holds this wall time. */
export function startOfUnit(wall: number, unit: CalendarUnit): number {
  return utc(wall).startOf(unit).toSeconds();
}

/** The wall time `count` units later, or earlier; the 31st becomes the last day of a shorter month. */
export function plusUnits(wall: number, count: number, unit: CalendarUnit): number {
  // Wall times have no clock changes; and years of days are split one by one.
  if (unit === 'day') return wall + count * secondsPerDay;
  return utc(wall)
    .plus({ [unit]: count })
    .toSeconds();
}

/** The wall time at which a date of the calendar begins; `undefined` where there is no such date. */
export function wallOf(date: DateObjectUnits): number | undefined {
  const found = DateTime.fromObject(date, { zone: 'utc' });
  return found.isValid ? found.toSeconds() : undefined;
}

function utc(wall: number): DateTime {
  return DateTime.fromSeconds(wall, { zone: 'utc' });
}

/** Between two changes of one zone's clock lie at least six days (TZ database, 1970 to 2040). */
const blockSeconds = 4 * secondsPerDay;

/** The clock of one zone: instants to wall times and back, through every clock change. */
export class ZoneClock {
  readonly name: string;
  readonly #zone: IANAZone;
  readonly #offsetAtBlock = new Map<number, number>();

  /** The zone must be known to the platform (`checkZoneName`). */
  constructor(name: string) {
    this.name = name;
    this.#zone = IANAZone.create(name);
  }

  /** What a clock on the wall shows at an instant. */
  wallAt(instant: number): number {
    return instant + this.#offsetAt(instant);
  }

  /** The local date of an instant, `2026-10-25`. */
  dateAt(instant: number): string {
    return new Date(this.wallAt(instant) * 1_000).toISOString().slice(0, 10);
  }

  /** The instants at which the wall shows this: none where a clock change skips it, two where one doubles it. */
  instantsOf(wall: number): number[] {
    const [before, after] = this.#offsetsAround(wall);
    const candidates = before === after ? [wall - before] : [wall - before, wall - after];
    return candidates.filter((instant) => this.wallAt(instant) === wall);
  }

  /** The first instant at which the wall shows more than this, for a wall time that a clock change skips. */
  instantAfterGap(wall: number): number {
    const [before, after] = this.#offsetsAround(wall);
    let early = wall - after;
    let late = wall - before;
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      if (this.wallAt(middle) < wall) early = middle;
      else late = middle;
    }
    return late;
  }

  /**
   * The instant at which a day begins. Where midnight is skipped that is the end of the gap; where a clock change
   * went back over midnight (St John's did at 00:01 until 2010) it is the later midnight, because the earlier one
   * was followed by another hour of the day before.
   */
  startOfDay(midnight: number): number {
    const [first, second] = this.instantsOf(midnight);
    if (first === undefined) return this.instantAfterGap(midnight);
    return second !== undefined && this.wallAt(second - 1) < midnight ? second : first;
  }

  #offsetsAround(wall: number): [before: number, after: number] {
    return [this.#offsetAt(wall - secondsPerDay), this.#offsetAt(wall + secondsPerDay)];
  }

  /** Seconds east of UTC. One look-up costs microseconds, and a year of hours asks for thousands: blocks are kept. */
  #offsetAt(instant: number): number {
    const block = Math.floor(instant / blockSeconds);
    const [first, next] = [block, block + 1].map((each) => {
      const known = this.#offsetAtBlock.get(each) ?? this.#lookUpOffset(each * blockSeconds);
      this.#offsetAtBlock.set(each, known);
      return known;
    });
    return first !== undefined && first === next ? first : this.#lookUpOffset(instant);
  }

  #lookUpOffset(instant: number): number {
    return Math.round(this.#zone.offset(instant * 1_000) * 60);
  }
}

/** An instant as the service writes it in a report's summary: `2026-10-25T02:00:00+0200`. */
export function formatInstant(instant: number, zone: string): string {
  return DateTime.fromSeconds(instant, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ");
}

/** The local date of an instant, `2026-10-25`. */
export function formatDate(instant: number, zone: string): string {
  return new ZoneClock(zone).dateAt(instant);
}

const zoneHint = 'Give a name of the TZ database, e.g. Europe/Paris, America/New_York, Asia/Kolkata or UTC.';

/**
 * The zone name in its usual case (`europe/paris` → `Europe/Paris`); an alias stays itself (`Asia/Kolkata`).
 * Throws `UsageError`, with the nearest name, for a name that the TZ database does not have; offsets (`+02:00`) are no names.
 */
export function checkZoneName(value: FlagValue): string {
  const name = value.text.trim();
  if (!/^[a-z]/i.test(name) || !IANAZone.isValidZone(name)) {
    const meant = nearestZone(name);
    throw refuse(value, 'there is no such time zone', meant === undefined ? zoneHint : didYouMean(meant));
  }
  const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  return canonical.toLowerCase() === name.toLowerCase() ? canonical : name;
}

/** The nearest full name, or else the zone of the nearest city (`paris`, `New York`). */
function nearestZone(name: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const zoneByCity = new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf('/') + 1), zone]));
  const city = nearest(name.slice(name.lastIndexOf('/') + 1), [...zoneByCity.keys()]);
  return nearest(name, zones) ?? (city === undefined ? undefined : zoneByCity.get(city));
}

/** The two ends and the length of a window, as text for people. */
export interface WindowDescription {
  /** Local time of the first second with its offset, `2026-10-25T00:00:00+0200`. */
  readonly since: string;
  /** That of the last second. */
  readonly until: string;
  /** `7 days`, `36 h`, `25 h: clock change`. */
  readonly length: string;
}

/** How a window reads in its zone: what `--dry-run` and the ledger show. */
export function describeWindow(window: Window): WindowDescription {
  return {
    since: formatInstant(window.since, window.zone),
    until: formatInstant(window.until, window.zone),
    length: describeLength(window),
  };
}

function describeLength({ since, until, zone }: Window): string {
  const clock = new ZoneClock(zone);
  const end = until + 1;
  const [first, last] = [midnightAt(since, clock), midnightAt(end, clock)];
  const wholeDays = first !== undefined && last !== undefined;
  const wallSeconds = wholeDays ? last - first : clock.wallAt(end) - clock.wallAt(since);
  const text = wholeDays ? daysText(wallSeconds / secondsPerDay, end - since) : hoursText(end - since);
  return wallSeconds === end - since ? text : `${text}: clock change`;
}

/** Midnight, as a wall time, of the day that begins at an instant; `undefined` where none does. */
function midnightAt(instant: number, clock: ZoneClock): number | undefined {
  const midnight = startOfUnit(clock.wallAt(instant), 'day');
  return clock.startOfDay(midnight) === instant ? midnight : undefined;
}

function daysText(days: number, seconds: number): string {
  if (days < 2) return hoursText(seconds);
  return seconds === days * secondsPerDay ? `${days} days` : `${days} days (${hoursText(seconds)})`;
}

function hoursText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ');
}

/** What `--compare` takes. */
export const comparedWindows = ['previous', 'last-year'] as const;

export type ComparedWindow = (typeof comparedWindows)[number];

/** The window of as many days that ends where this one begins, or the same dates a year earlier. */
export function earlierWindow({ since, until, zone }: Window, which: ComparedWindow): Window {
  const clock = new ZoneClock(zone);
  const instantOf = (wall: number): number => clock.instantsOf(wall)[0] ?? clock.instantAfterGap(wall);
  const [first, over] = [clock.wallAt(since), clock.wallAt(until + 1)];
  if (which === 'previous') return { since: instantOf(2 * first - over), until: since - 1, zone, notes: [] };
  const [start, end] = [plusUnits(first, -1, 'year'), plusUnits(over, -1, 'year')];
  return { since: instantOf(start), until: instantOf(end) - 1, zone, notes: [] };
}
