import { DateTime, Duration, IANAZone } from 'luxon';
import { nearest } from '../text/nearest.ts';
import { didYouMean, type FlagValue, refuse } from './mistakes.ts';

/**
 * Stretches of time in a report's zone, and the arithmetic of its clock and calendar.
 *
 * An instant is in unix seconds. A wall time is what a clock on the wall shows, as the unix seconds at which a clock
 * in UTC shows the same; so a calendar day is a wall time at midnight, and calendar arithmetic needs no zone.
 */

/** The window of a report: its first and its last second, in unix seconds (`decisions.md` 2). */
export interface Window {
  readonly since: number;
  readonly until: number;
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
  return utc(wall)
    .plus({ [unit]: count })
    .toSeconds();
}

function utc(wall: number): DateTime {
  return DateTime.fromSeconds(wall, { zone: 'utc' });
}

/**
 * The seconds of an ISO 8601 text, `2026-10`, `2026-W45` and `2026-11-01T14:30` among them: an instant where it tells an
 * offset, else a wall time. Throws `UsageError` where the calendar has no such date.
 * @param text in place of the flag's value
 */
export function secondsOfIso(value: FlagValue, text = value.text): number {
  const found = DateTime.fromISO(text, { zone: 'utc' });
  if (found.isValid) return found.toSeconds();
  throw refuse(value, found.invalidExplanation?.replace(' (of type number)', '') ?? 'this is no date');
}

/** The clock of one zone: instants to wall times and back, through every clock change. */
export class ZoneClock {
  readonly name: string;
  readonly #zone: IANAZone;

  /** The zone must be known to the platform (`checkZoneName`). */
  constructor(name: string) {
    this.name = name;
    this.#zone = IANAZone.create(name);
  }

  /** What a clock on the wall shows at an instant. */
  wallAt(instant: number): number {
    return instant + this.#offsetAt(instant);
  }

  /** The instants at which the wall shows this: none where a clock change skips it, two where one doubles it. */
  instantsOf(wall: number): number[] {
    const candidates = new Set(this.#offsetsAround(wall).map((offset) => wall - offset));
    return [...candidates].filter((instant) => this.wallAt(instant) === wall);
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

  /** Clocks change once in two days at most. */
  #offsetsAround(wall: number): [before: number, after: number] {
    return [this.#offsetAt(wall - secondsPerDay), this.#offsetAt(wall + secondsPerDay)];
  }

  /** Seconds east of UTC. */
  #offsetAt(instant: number): number {
    return Math.round(this.#zone.offset(instant * 1_000) * 60);
  }
}

/** An instant as the service writes it in a report's summary: `2026-10-25T02:00:00+0200`. */
export function formatInstant(instant: number, zone: string): string {
  return DateTime.fromSeconds(instant, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ");
}

/** The local date of an instant, `2026-10-25`. */
export function formatDate(instant: number, zone: string): string {
  return formatInstant(instant, zone).slice(0, 10);
}

/** How a window reads in its zone: its first and last second, and its length (`7 days`, `25 h: clock change`). */
export function describeWindow({ since, until, zone }: Window): { since: string; until: string; length: string } {
  const [from, to] = [since, until + 1].map((instant) => DateTime.fromSeconds(instant, { zone })) as [
    DateTime,
    DateTime,
  ];
  const days = to.diff(from, 'days').days;
  const { hours, minutes, seconds } = Duration.fromObject({
    hours: 0,
    minutes: 0,
    seconds: until + 1 - since,
  }).normalize();
  const parts = [[hours, 'h'] as const, [minutes, 'min'] as const, [seconds, 's'] as const];
  const text = parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ');
  const length = Number.isInteger(days) && days > 1 ? `${days} days` : text;
  const change = from.offset === to.offset ? '' : ': clock change';
  return { since: formatInstant(since, zone), until: formatInstant(until, zone), length: length + change };
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

/**
 * The zone name in its usual case (`europe/paris` → `Europe/Paris`); an alias stays itself (`Asia/Kolkata`).
 * Throws `UsageError`, with the nearest name, for a name that the TZ database does not have; offsets (`+02:00`) are no names.
 */
export function checkZoneName(value: FlagValue): string {
  const name = value.text.trim();
  if (!/^[a-z]/i.test(name) || !IANAZone.isValidZone(name)) {
    // The city alone (`paris`, `New York`) tells the zone too.
    const zones = new Map(
      Intl.supportedValuesOf('timeZone').flatMap((zone) => [
        [zone.replace(/.*\//, ''), zone],
        [zone, zone],
      ]),
    );
    const meant = zones.get(nearest(name, [...zones.keys()]) ?? '');
    const hint = 'Give a name of the TZ database, e.g. Europe/Paris, America/New_York, Asia/Kolkata or UTC.';
    throw refuse(value, 'there is no such time zone', didYouMean(meant, hint));
  }
  const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  return canonical.toLowerCase() === name.toLowerCase() ? canonical : name;
}
