import { DateTime, IANAZone } from 'luxon';

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

/** Midnight of a date as a wall time; the date must exist (see `daysInMonth`). Months count from 1. */
export function wallOfDate(year: number, month: number, day: number): number {
  return DateTime.utc(year, month, day).toSeconds();
}

/** Midnight of an ISO week's Monday as a wall time. */
export function wallOfWeek(year: number, week: number): number {
  return DateTime.fromObject({ weekYear: year, weekNumber: week, weekday: 1 }, { zone: 'utc' }).toSeconds();
}

/** 28 to 31; months count from 1. */
export function daysInMonth(year: number, month: number): number {
  return DateTime.utc(year, month).daysInMonth ?? 0;
}

/** How many weeks a year of ISO 8601 has: 52 or 53. */
export function weeksInYear(year: number): number {
  return DateTime.utc(year, 7).weeksInWeekYear;
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

  /** Seconds east of UTC. A year of days would cost 1,100 slow look-ups; of blocks it costs 92. */
  #offsetAt(instant: number): number {
    const block = Math.floor(instant / blockSeconds);
    const offset = this.#offsetAtStartOf(block);
    return offset === this.#offsetAtStartOf(block + 1) ? offset : this.#lookUpOffset(instant);
  }

  #offsetAtStartOf(block: number): number {
    const known = this.#offsetAtBlock.get(block);
    if (known !== undefined) return known;
    const offset = this.#lookUpOffset(block * blockSeconds);
    this.#offsetAtBlock.set(block, offset);
    return offset;
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
