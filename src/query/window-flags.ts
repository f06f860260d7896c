import { DateTime, type DateTimeUnit } from 'luxon';
import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import { suggestPeriod } from './period-names.ts';
import {
  formatInstant,
  instantsOf,
  isZoneName,
  type SplitUnit,
  startOfDay,
  type Window,
  wallAt,
} from './window.ts';

export interface WindowFlags {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly period?: string | undefined;

  /** Zone of days and wall times: the report's, never the machine's. */
  readonly zone: string;

  /** Milliseconds since 1970. */
  readonly nowMs: number;

  /** Unit that `-90d` and `-2w` are rounded to, so that no file has a part of one. */
  readonly wholeUnit?: SplitUnit | undefined;
}

/** As typed, with the name of the flag (`--since`) for messages. */
interface FlagValue {
  readonly flag: string;
  readonly text: string;
}

/** Formats `--period “soon”: this is not a period.` */
function refuse({ flag, text }: FlagValue, reason: string, hint: string): UsageError {
  return new UsageError(`${flag} ${quoted(text)}: ${reason}.`, { hint, about: { flag } });
}

/** Zone names that were checked: a history has thousands of windows in the same zone. */
const zoneNames = new Map<string, string>();

/**
 * Returns a zone name in its usual case (`europe/paris` → `Europe/Paris`), but does not replace
 * aliases (`Asia/Kolkata`). Throws `UsageError` for an unknown one.
 */
function checkZoneName(text: string): string {
  const name = text.trim();
  const known = zoneNames.get(name);
  if (known !== undefined) return known;

  if (!isZoneName(name)) {
    const zones = Intl.supportedValuesOf('timeZone');
    const city = `/${name.replaceAll(' ', '_')}`.toLowerCase();
    const meant = nearest(name, zones) ?? zones.find((zone) => zone.toLowerCase().endsWith(city));
    const otherwise =
      'Use a name of the TZ database, e.g. Europe/Paris, America/New_York, Asia/Kolkata or UTC.';
    throw refuse({ flag: '--timezone', text }, 'unknown time zone', didYouMean(meant, otherwise));
  }
  const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  const checked = canonical.toLowerCase() === name.toLowerCase() ? canonical : name;
  zoneNames.set(name, checked);
  return checked;
}

/**
 * Resolves `--since` and `--until`, or `--period`, into a window (`cli.md`, Choosing the report).
 * Throws `UsageError` for an invalid value, and for a window that is missing, given twice, reversed
 * or before 1970.
 */
export function resolveWindow(flags: WindowFlags): Window {
  const { zone, nowMs, wholeUnit } = flags;
  const { since, until, period } = flags;
  if (period !== undefined && (since ?? until) !== undefined) {
    const other = since === undefined ? '--until' : '--since';
    const hint = 'Use either --period, or --since and --until.';
    throw new UsageError(`--period cannot be used with ${other}.`, {
      hint,
      about: { flag: '--period' },
    });
  }

  expectShort({ '--period': period, '--since': since, '--until': until });
  const now = Math.floor(nowMs / 1_000);
  const reader = new WindowReader(checkZoneName(zone), now, wholeUnit);
  const window =
    period === undefined ? reader.readEnds(since, until) : reader.readPeriod(period.trim());
  if (window.since < 0) {
    const message = 'The period begins before 1970, which the service does not support.';
    const flag = period === undefined ? '--since' : '--period';
    throw new UsageError(message, { hint: 'Choose a later day.', about: { flag } });
  }
  return window;
}

/** Throws `UsageError` for a value longer than any period, before a pattern sees it. */
function expectShort(values: Readonly<Record<string, string | undefined>>): void {
  for (const [flag, text = ''] of Object.entries(values)) {
    if (text.length <= 100) continue;
    throw new UsageError(`${flag} is longer than 100 characters.`, {
      hint: acceptedPeriods,
      about: { flag },
    });
  }
}

/** First midnight of the days, and the midnight after them. */
interface Days {
  readonly start: DateTime;
  readonly end: DateTime;
}

/** In Luxon's tokens. */
const calendarForms = [
  { form: 'yyyy', unit: 'year' },
  { form: "yyyy-'q'q", unit: 'quarter' },
  { form: 'yyyy-MM', unit: 'month' },
  { form: "kkkk-'w'WW", unit: 'week' },
  { form: 'yyyy-MM-dd', unit: 'day' },
] as const;

const acceptedPeriods =
  'Use today, yesterday, last-7d, last-24h, last-2w, this-week or last-week (also -month, -quarter, -year), 2026, ' +
  '2026-Q3, 2026-10, 2026-W45, 2026-11-01, or a range such as 2026-11-01..2026-11-15.';

const acceptedInstants =
  'Use a day (2026-11-01, today, yesterday), a date-time (2026-11-01T14:30; add Z or +01:00 for another time ' +
  'zone), unix seconds, now, or a relative time (-36h, -7d, -2w).';

/** Parses the values of window flags in one zone at one time. */
class WindowReader {
  readonly #zone: string;

  /** In unix seconds. */
  readonly #now: number;
  readonly #wholeUnit: SplitUnit | undefined;
  readonly #notes: string[] = [];

  constructor(zone: string, now: number, wholeUnit: SplitUnit | undefined) {
    this.#zone = zone;
    this.#now = now;
    this.#wholeUnit = wholeUnit;
  }

  readEnds(sinceText: string | undefined, untilText: string | undefined): Window {
    if (sinceText === undefined) {
      const message = untilText === undefined ? 'No period given.' : '--until needs --since.';
      const hint =
        'Add, for example, --period yesterday, --period 2026-10, or --since 2026-11-01 --until 2026-11-15.';
      throw new UsageError(message, { hint });
    }

    const zone = this.#zone;
    const since = this.#instantOf({ flag: '--since', text: sinceText.trim() });
    const until = this.#instantOf({ flag: '--until', text: (untilText ?? 'now').trim() });
    if (since > until && untilText === undefined) {
      throw new UsageError('--since is in the future.', {
        hint: 'Choose an earlier --since, or add --until.',
        about: { flag: '--since' },
      });
    }
    if (since > until) {
      const from = formatInstant(since, zone);
      const to = formatInstant(until, zone);
      throw new UsageError(`--since ${from} is after --until ${to}.`, {
        hint: 'Swap them, or change one.',
        about: { flag: '--since' },
      });
    }
    return { since, until, zone, notes: this.#notes };
  }

  /** Returns whole days of the zone, or for `last-24h` the 24 hours until now. */
  readPeriod(text: string): Window {
    const zone = this.#zone;
    const hours = /^last-([1-9]\d{0,5})h$/i.exec(text)?.[1];
    if (hours) {
      const since = this.#now - Number(hours) * 3_600 + 1;
      return { since, until: this.#now, zone, notes: [] };
    }

    const value = { flag: '--period', text };
    const days = this.#daysOfRange(value);
    const since = startOfDay(days.start, zone);
    const until = startOfDay(days.end, zone) - 1;
    if (since > until) {
      const reason = `this day does not exist in ${zone}, because the calendar skipped it`;
      throw refuse(value, reason, 'Choose another day.');
    }
    return { since, until, zone, notes: [] };
  }

  /** Reads a name or a range: `2026-11-01..today`. */
  #daysOfRange(period: FlagValue): Days {
    const { text } = period;
    const dots = text.indexOf('..');
    if (dots === -1) return this.#daysOfName(period, text);

    const first = this.#daysOfName(period, text.slice(0, dots));
    const last = this.#daysOfName(period, text.slice(dots + 2));
    if (last.start < first.start) {
      throw refuse(period, 'the range ends before it begins', 'Write it as FIRST..LAST.');
    }
    return { start: first.start, end: last.end };
  }

  #daysOfName(period: FlagValue, name: string): Days {
    const days = this.#daysOf(name);
    if (days) return days;

    const hint = didYouMean(suggestPeriod(name, this.#wallNow()), acceptedPeriods);
    const isAll = name === period.text;
    if (!isDateLike(name) && isAll) {
      const message = `Unknown period ${quoted(name)}.`;
      throw new UsageError(message, { hint, about: { flag: period.flag } });
    }
    const otherwise = `${quoted(name)} is not a day, week, month or year`;
    throw refuse(period, isDateLike(name) ? noSuchDate(name, isAll) : otherwise, hint);
  }

  /**
   * Reads a name in any case: `today`, `last-month`, `last-7d` (seven whole days before today),
   * `2026`, `2026-Q3`, `2026-10`, `2026-W45`, `2026-11-01`. `undefined` for other text.
   */
  #daysOf(text: string): Days | undefined {
    const name = text.toLowerCase();
    const relative = parseRelativeDays(name);
    if (relative) {
      const { unit, ago } = relative;
      const start = this.#wallNow()
        .startOf(unit)
        .minus({ [unit]: ago });
      return { start, end: start.plus({ [unit]: Math.max(1, ago) }) };
    }
    for (const { form, unit } of calendarForms) {
      const start = DateTime.fromFormat(name, form, { zone: 'utc', locale: 'en' });
      if (start.isValid) return { start, end: start.plus({ [unit]: 1 }) };
    }
    return undefined;
  }

  /** Returns the first second of the named time for `--since`, the last for `--until`. */
  #instantOf(value: FlagValue): number {
    const text = value.text.toUpperCase();
    if (text === 'NOW') return this.#now;
    // Other lengths are probably a year, a date without hyphens, or milliseconds.
    if (/^(0|\d{5,7}|\d{9,10})$/.test(text)) return Number(text);
    if (/^[+-]?\d+([.,]\d+)?$/.test(text)) {
      throw refuse(value, 'unix seconds have five to ten digits, but not eight', acceptedInstants);
    }

    const instant = this.#instantAgo(value, text) ?? this.#instantOfIso(value, text);
    if (instant !== undefined) return instant;

    const days = this.#daysOf(text);
    if (days && isSince(value)) return startOfDay(days.start, this.#zone);
    if (days) return startOfDay(days.end, this.#zone) - 1;

    const meant = nearest(text, ['now']) ?? suggestPeriod(text, this.#wallNow());
    const hint = didYouMean(meant, acceptedInstants);
    if (isDateLike(text)) throw refuse(value, noSuchDate(text, true), hint);
    const { flag } = value;
    throw new UsageError(`Cannot read ${flag} ${quoted(value.text)}.`, { hint, about: { flag } });
  }

  /** Reads `-36H`, `-7D` or `-2W`; `undefined` for other text. */
  #instantAgo(value: FlagValue, text: string): number | undefined {
    const match = /^-(\d{1,6})([HDW])$/.exec(text);
    if (!match) return undefined;

    const count = Number(match[1]);
    if (match[2] === 'H') return this.#now - count * 3_600;
    const wall = this.#wallNow().minus(match[2] === 'W' ? { weeks: count } : { days: count });
    const unit = this.#wholeUnit;
    if (unit === undefined) return this.#settle(value, wall);

    const start = wall.startOf(unit);
    if (isSince(value)) return startOfDay(start, this.#zone);
    return startOfDay(start.plus({ [unit]: 1 }), this.#zone) - 1;
  }

  /**
   * Reads an ISO 8601 date-time, in the report's zone if it has no offset; `undefined` for other
   * text.
   */
  #instantOfIso(value: FlagValue, text: string): number | undefined {
    const iso = text.replace(' ', 'T').replace(' ', '');
    const match = /^\d{4}-[\dW-]+T[\d:.,]+(Z|[+-][\d:]+)?$/.exec(iso);
    if (!match) return undefined;
    const moment = DateTime.fromISO(iso, { zone: 'utc' });
    if (!moment.isValid) return undefined;

    const milliseconds = isSince(value) ? 999 : 0;
    const wholeSecond = moment.plus({ milliseconds }).startOf('second');
    const hasOffset = match[1] !== undefined;
    return hasOffset ? wholeSecond.toSeconds() : this.#settle(value, wholeSecond);
  }

  /**
   * Finds the instant of a wall time. If a clock change skips or repeats it: the first for
   * `--since`, the last for `--until`, with a note.
   */
  #settle(value: FlagValue, wall: DateTime): number {
    const zone = this.#zone;
    const { first, last, isSkipped } = instantsOf(wall, zone);
    if (!isSkipped && first === last) return first;

    // The last second before the clocks go forward.
    const lastOfWindow = isSkipped ? last - 1 : last;
    const instant = isSince(value) ? first : lastOfWindow;
    const problem = isSkipped ? 'does not exist' : 'happens twice';
    const { flag, text } = value;
    this.#notes.push(
      `${flag} ${quoted(text)} ${problem} in ${zone} because of a clock change; using ${formatInstant(instant, zone)}.`,
    );
    return instant;
  }

  #wallNow(): DateTime {
    return wallAt(this.#now, this.#zone);
  }
}

function isSince({ flag }: FlagValue): boolean {
  return flag === '--since';
}

/**
 * Reads `yesterday`, `this-week`, `last-7d` and `last-2w`; `undefined` for other text. `ago` is 0
 * for the current unit; otherwise the number of whole units before it.
 */
function parseRelativeDays(name: string): { unit: DateTimeUnit; ago: number } | undefined {
  if (name === 'today') return { unit: 'day', ago: 0 };
  if (name === 'yesterday') return { unit: 'day', ago: 1 };

  const [, which, unit] = /^(this|last)-(week|month|quarter|year)$/.exec(name) ?? [];
  if (unit !== undefined) return { unit: unit as DateTimeUnit, ago: which === 'last' ? 1 : 0 };

  const match = /^last-([1-9]\d{0,4})([dw])$/.exec(name);
  if (!match) return undefined;
  return { unit: match[2] === 'd' ? 'day' : 'week', ago: Number(match[1]) };
}

/** Accepts the form of a date, which may not exist: 2026-02-30. */
function isDateLike(text: string): boolean {
  return /^\d{4}-/.test(text);
}

/**
 * Explains why a date does not exist.
 *
 * @param isAll false if the flag's value has other dates too
 */
function noSuchDate(text: string, isAll: boolean): string {
  let noun = 'date';
  if (/^\d{4}-w/i.test(text)) noun = 'week';
  else if (/\d[t ]\d/i.test(text)) noun = 'time';
  return isAll ? `there is no such ${noun}` : `there is no ${noun} ${quoted(text)}`;
}

/** Checks a value of `--period`. */
export function isPeriod(text: string, nowMs: number): boolean {
  try {
    resolveWindow({ period: text, zone: 'UTC', nowMs });
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}
