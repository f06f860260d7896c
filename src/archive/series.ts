import { type CalendarUnit, formatDate, overAfter, unitHolding } from '../report/window.ts';
import type { FileLine, OrderLine } from './forms.ts';

const timePlaceholder = /\{(date|since|until)\}/g;

/** The days in the name of a file. */
interface NameDays {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/**
 * The names of the files of one `output`: `date={date}/part.csv`, where nothing but its days is
 * left to fill in.
 */
export class FileNames {
  readonly output: string;
  readonly #pattern: RegExp;

  constructor(output: string) {
    this.output = output;
    this.#pattern = patternOf(output);
  }

  /** The name of the file of some days. */
  of({ since, until }: Pick<CalendarUnit, 'since' | 'until'>): string {
    return this.output.replace(timePlaceholder, (_, name: string) =>
      name === 'until' ? until : since,
    );
  }

  /** The days that a name tells; `undefined` for one that does not fit. */
  daysIn(name: string): NameDays | undefined {
    const match = this.#pattern.exec(name);
    if (!match) return undefined;

    const { date, since, until } = match.groups ?? {};
    return { since: date ?? since, until };
  }

  /** The patterns of the folders down to a file, and of the file itself. */
  get segments(): RegExp[] {
    return this.output.split('/').map(patternOf);
  }
}

function patternOf(output: string): RegExp {
  const seen = new Set<string>();
  const source = output.replaceAll(/\{(date|since|until)\}|[\\^$.*+?()[\]{}|/-]/g, (all, name) => {
    if (name === undefined) return `\\${all}`;
    if (seen.has(name)) return `\\k<${name}>`;
    seen.add(name);
    return `(?<${name}>\\d{4}-\\d{2}-\\d{2})`;
  });
  return new RegExp(`^${source}$`);
}

/**
 * The unit of the calendar that a file of an order has, by a name that fits; `undefined` where it
 * can have none.
 */
export function unitOfName(
  names: FileNames,
  order: OrderLine,
  name: string,
): CalendarUnit | undefined {
  const days = names.daysIn(name);
  const day = days?.since ?? days?.until;
  if (day === undefined) return undefined;

  const unit = unitHolding(day, order.split ?? 'day', order.timezone);
  return unit && names.of(unit) === name ? unit : undefined;
}

/**
 * The unit that a file holds: of the split of its order, and without one the day, where its window
 * is of one day alone. `undefined` where it is of no unit.
 */
export function unitOfLine(
  { since, until }: FileLine,
  { split, timezone }: OrderLine,
): CalendarUnit | undefined {
  const start = Date.parse(since) / 1_000;
  const unit = unitHolding(formatDate(start, timezone), split ?? 'day', timezone);
  if (!unit || start !== unit.start) return undefined;
  return Date.parse(until) / 1_000 < unit.over ? unit : undefined;
}

/** Whether two orders ask for the same content, in the same units where both have some. */
export function isAlike(one: OrderLine, other: OrderLine): boolean {
  const hasUnits = one.split !== null && other.split !== null;
  return one.content === other.content && (!hasUnits || one.split === other.split);
}

/** The unit that is asked for under the name of a file, in unix seconds. */
interface AskedUnit extends Pick<CalendarUnit, 'start' | 'over'> {
  readonly split: OrderLine['split'];
}

/**
 * Whether a file holds another unit than the one asked for under its name: a day where a week is
 * asked for. Of one split all names mean the same, and without one a file may hold any window.
 */
export function isOfOtherUnit(line: FileLine, own: OrderLine, asked: AskedUnit): boolean {
  if (own.split === asked.split) return false;

  const unit = unitOfLine(line, own);
  const start = unit?.start ?? Date.parse(line.since) / 1_000;
  const over = unit?.over ?? Date.parse(line.until) / 1_000 + 1;
  if (start < asked.start || over > asked.over) return true;
  if (!unit || (start === asked.start && over === asked.over)) return false;

  // A window that was not over then is fetched again, to its end.
  const isBegun = own.split === null && createdAt(line) < asked.over;
  return !isBegun;
}

/**
 * For so many units more a report without rows is asked for again, where a file with rows stands.
 */
const keptUnits = 7;

/** When a file may be taken for what it will stay, in unix seconds. */
export interface UnitTimes {
  /** When its unit is over. */
  readonly over: number;

  /** From when on a report that is created is final. */
  readonly final: number;

  /** When a file that is not final is one that was left. */
  readonly left: number;
}

/**
 * The times of a unit of an order.
 *
 * @param lookback for how many units after its own the service still corrects it
 */
export function timesOf(
  unit: CalendarUnit,
  order: Pick<OrderLine, 'split' | 'timezone'>,
  { lookback, kept }: { readonly lookback: number; readonly kept?: boolean | undefined },
): UnitTimes {
  const calendar = { unit: order.split ?? 'day', zone: order.timezone } as const;
  const count = kept ? lookback + keptUnits : lookback;
  return {
    over: unit.over,
    final: overAfter(unit, count, calendar),
    left: overAfter(unit, count + 2, calendar),
  };
}

/** How long a unit is at most. */
export const longestUnitSeconds = { day: 86_400, week: 7 * 86_400, month: 31 * 86_400 } as const;

/**
 * Whether a file is final so clearly that no calendar has to be asked: of ten years of days nearly
 * all are, and the clocks of a zone take some microseconds each.
 */
export function isLongFinal(
  line: FileLine,
  { split }: Pick<OrderLine, 'split'>,
  lookback: number,
): boolean {
  const units = lookback + (line.kept ? keptUnits : 0) + 1;
  const end = Date.parse(line.until) / 1_000 + 2 * 86_400;
  return createdAt(line) > end + units * longestUnitSeconds[split ?? 'day'];
}

/** When the report of a line was created, in unix seconds. */
export function createdAt({ created }: FileLine): number {
  return Date.parse(created) / 1_000;
}

/** The time that is fetched again, in unix seconds. */
export interface FetchedTime {
  readonly since: number;
  readonly until: number;
}

/** The whole units of an order that lie within a gap. */
export function* unitsWithin(
  { split, timezone }: OrderLine,
  { since, until }: FetchedTime,
): Generator<CalendarUnit> {
  let day = formatDate(since, timezone);
  for (;;) {
    const unit = unitHolding(day, split ?? 'day', timezone);
    if (!unit || unit.start >= until) return;

    // A day that the calendar skipped has no seconds.
    const isWhole = unit.start >= since && unit.over <= until && unit.over > unit.start;
    if (isWhole) yield unit;
    day = formatDate(unit.over, timezone);
  }
}
