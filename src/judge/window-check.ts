import { defaultZone } from '../contract/messages.ts';
import { readTime } from '../contract/values.ts';
import { formatInstant, instantsAt, isZoneName, offsetAt, type Window } from '../report/window.ts';
import type { ReportMember } from '../rows/row-batch.ts';
import { isObject } from '../text/json-object.ts';
import { printable } from '../text/printable.ts';
import type { Sayings } from './check.ts';

/**
 * A `summary` as it came: any of its fields may be absent, or of another type than the
 * specification says.
 */
type Summary = Readonly<Record<string, unknown>>;

/** When the report may have been made, in milliseconds since 1970: between its order and now. */
export interface Made {
  readonly createdMs: number;
  readonly nowMs: number;
}

/** Clocks of machines differ by less than this, in seconds, unless one of them is wrong. */
const differenceAtMost = 300;

/** The `summary` beside the rows; `undefined` where there is none that is an object. */
export function summaryIn(members: readonly ReportMember[]): Summary | undefined {
  const member = members.find(({ name }) => name === 'summary');
  if (!member) return undefined;
  const value: unknown = JSON.parse(member.json.toString());
  return isObject(value) ? value : undefined;
}

/**
 * Finds the instants of a summary that are others than those asked for. A time without an offset
 * proves nothing.
 */
export function judgeWindow(window: Window, summary: Summary, made: Made, sayings: Sayings): void {
  const { zone } = window;
  const since = instantWithOffset(summary.since);
  const until = instantWithOffset(summary.until);
  for (const name of ['since', 'until'] as const) {
    const value = summary[name];
    const isSaid = value !== undefined && value !== null && value !== '';
    if (!isSaid || instantIn(value, name, zone) !== undefined) continue;
    const text = printable(JSON.stringify(value).slice(0, 50));
    sayings.note(
      'window',
      `The window of the report could not be checked: its summary has ${text} as ${name}.`,
    );
  }

  const isSameStart = since === undefined || isSame(since, window.since);
  const isSameEnd = until === undefined || isEndOf(window, until, made);
  if (isSameStart && isSameEnd) return;

  const actual = {
    since: isSameStart ? window.since : (since?.instant ?? window.since),
    until: isSameEnd ? window.until : (until?.instant ?? window.until),
  };
  const actualText = spanText(actual, zone);
  const wantedText = spanText(window, zone);
  const finding = `The report is of another window than asked for: ${actualText} instead of ${wantedText}.`;
  const advice = clockAdvice(actual, window);
  sayings.find('window', advice === undefined ? finding : `${finding} ${advice}`);
}

/**
 * Finds the zone of a summary that is another one than asked for: whose clocks differ in the year
 * of the window.
 */
export function judgeZone({ since, until, zone }: Window, summary: Summary, sayings: Sayings) {
  const { timezone } = summary;
  if (typeof timezone !== 'string' || timezone.trim() === '') return;

  const name = timezone.trim();
  if (!isZoneName(name)) {
    const text = printable(name.slice(0, 50));
    sayings.note('zone', `The zone of the report could not be checked: its summary has ${text}.`);
    return;
  }
  const month = 30 * 86_400;
  const instants = [until];
  for (let instant = since - 6 * month; instant <= since + 6 * month; instant += month) {
    instants.push(instant);
  }
  const agrees = instants.every((instant) => offsetAt(instant, name) === offsetAt(instant, zone));
  if (agrees) return;
  sayings.find(
    'zone',
    `The report is of another zone than asked for: ${printable(name)} instead of ${zone}.`,
  );
}

/** The instants between which a report lies, both included, in seconds since 1970. */
interface Span {
  readonly since: number;
  readonly until: number;
}

/** An instant, in seconds since 1970, and how exactly it is told. */
interface ToldInstant {
  readonly instant: number;
  readonly isOfMinute: boolean;
}

function isSame({ instant, isOfMinute }: ToldInstant, wanted: number): boolean {
  return isOfMinute ? instant === wanted - (wanted % 60) : instant === wanted;
}

/**
 * An end that excludes its second is the same end, and so is now where the end is still to come.
 */
function isEndOf({ until }: Window, told: ToldInstant, { createdMs, nowMs }: Made): boolean {
  if (isSame(told, until) || told.instant === until + 1) return true;
  const earliest = Math.min(createdMs, nowMs) / 1_000 - differenceAtMost;
  const latest = Math.max(createdMs, nowMs) / 1_000 + differenceAtMost;
  const isNow = told.instant >= earliest && told.instant <= latest;
  return isNow && told.instant < until;
}

/** An instant that is written with an offset. */
function instantWithOffset(value: unknown): ToldInstant | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  const ms = readTime(text)?.instantMs;
  if (ms === undefined) return undefined;
  return { instant: ms / 1_000, isOfMinute: !/\d\d:\d\d:\d\d/.test(text) };
}

const msPerDay = 86_400_000;

/**
 * The whole second, since 1970, that a summary's time lies in, in whatever form it is written;
 * `undefined` for no time.
 */
function instantIn(value: unknown, name: 'since' | 'until', zone: string): number | undefined {
  if (typeof value === 'number') return unixSeconds(value);
  if (typeof value !== 'string') return undefined;

  const text = value.trim();
  if (/^\d{9,13}$/.test(text)) return unixSeconds(Number(text));

  const time = readTime(text);
  if (!time) return undefined;
  if (time.instantMs !== undefined) return time.instantMs / 1_000;

  const isLastDay = time.isDay && name === 'until';
  if (isLastDay) return instantsAt(time.wallMs + msPerDay, zone).first - 1;

  const { first, last } = instantsAt(time.wallMs, zone);
  return name === 'since' ? first : last;
}

/** Of unix time in seconds or in milliseconds. */
function unixSeconds(value: number): number | undefined {
  if (!Number.isFinite(value)) return undefined;
  return Math.floor(value > 1e11 ? value / 1_000 : value);
}

function spanText({ since, until }: Span, zone: string): string {
  return `${instantText(since, zone)} to ${instantText(until, zone)}`;
}

function instantText(instant: number, zone: string): string {
  const isInCalendar = Math.abs(instant) < 8e12;
  return isInCalendar ? formatInstant(instant, zone) : String(instant);
}

/**
 * What to set where the service reads timestamps by another clock; `undefined` where the windows
 * differ otherwise.
 */
function clockAdvice(actual: Span, { since, until, zone }: Window): string | undefined {
  const wallOf = (instant: number): number => instant + offsetAt(instant, zone);
  const isWall = wallOf(actual.since) === since && wallOf(actual.until) === until;
  const isInstant = actual.since === wallOf(since) && actual.until === wallOf(until);
  if (!isWall && !isInstant) return undefined;

  const meaning = isWall ? 'wall time' : 'instants';
  const setting = isWall ? 'wall' : 'instant';
  return (
    `It is shifted by the offset of ${zone}: the service reads timestamps as ${meaning}. ` +
    `Set windowClock: ${setting} in adreport.yaml or the account, or give --window-clock ${setting}.`
  );
}

/** The window that a summary names, in its zone; `undefined` where it does not name all of it. */
export function windowOfSummary({ since, until, timezone }: Summary): Window | undefined {
  const name = typeof timezone === 'string' ? timezone.trim() : '';
  const zone = isZoneName(name) ? name : defaultZone;
  const first = instantIn(since, 'since', zone);
  const last = instantIn(until, 'until', zone);
  if (first === undefined || last === undefined || last < first) return undefined;
  return { since: first, until: last, zone, notes: [] };
}
