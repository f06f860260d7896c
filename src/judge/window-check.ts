import { defaultZone } from '../contract/messages.ts';
import { readTime } from '../contract/values.ts';
import { formatInstant, instantsAt, isZoneName, offsetAt, type Window } from '../report/window.ts';
import type { ReportMember } from '../rows/row-batch.ts';
import { isObject } from '../text/json-object.ts';
import { printable } from '../text/printable.ts';
import type { Expectation, Sayings } from './check.ts';

/**
 * A `summary` as it came: any of its fields may be absent, or of another type than the
 * specification says.
 */
type Summary = Readonly<Record<string, unknown>>;

/** The window that was asked for, and how its ends were sent; as instants where absent. */
export type AskedWindow = Pick<Expectation, 'window' | 'windowClock'>;

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
 * Finds the instants of a summary that are others than those asked for. A time without an offset is
 * another one where it is more than a day away.
 */
export function judgeWindow(
  asked: AskedWindow,
  summary: Summary,
  made: Made,
  sayings: Sayings,
): void {
  const { window } = asked;
  const { zone } = window;
  const since = toldInstant(asked, 'since', summary.since);
  const until = toldInstant(asked, 'until', summary.until);
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

  /** By how many seconds another instant is the same, the seconds of a minute apart. */
  readonly tolerance: number;
  readonly isOfMinute: boolean;
}

function isSame({ instant, isOfMinute, tolerance }: ToldInstant, wanted: number): boolean {
  const exact = isOfMinute ? wanted - (wanted % 60) : wanted;
  return Math.abs(instant - exact) <= tolerance;
}

/**
 * An end that excludes its second is the same end, and so is now where the end is still to come.
 */
function isEndOf({ until }: Window, told: ToldInstant, { createdMs, nowMs }: Made): boolean {
  if (isSame(told, until) || told.instant === until + 1) return true;
  const earliest = Math.min(createdMs, nowMs) / 1_000 - differenceAtMost;
  const latest = Math.max(createdMs, nowMs) / 1_000 + differenceAtMost;
  const { instant, tolerance } = told;
  const isNow = instant >= earliest - tolerance && instant <= latest + tolerance;
  return isNow && instant < until;
}

/** A time without an offset may be of any zone. */
const oneDay = 86_400;

/**
 * What a summary tells of an end of the window: exactly with an offset or as unix seconds, within a
 * day without an offset.
 */
function toldInstant(
  asked: AskedWindow,
  name: 'since' | 'until',
  value: unknown,
): ToldInstant | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  const isUnixSeconds = /^\d{9,11}(\.\d+)?$/.test(text);
  if (isUnixSeconds) {
    const instant = instantOfEcho(asked, name, Math.floor(Number(text)));
    return { instant, tolerance: 0, isOfMinute: false };
  }

  const time = typeof value === 'string' ? readTime(text) : undefined;
  if (!time) return undefined;
  if (time.instantMs !== undefined) {
    const isOfMinute = !/\d\d:\d\d:\d\d/.test(text);
    return { instant: time.instantMs / 1_000, tolerance: 0, isOfMinute };
  }

  const instant = instantIn(value, name, asked.window.zone);
  return instant === undefined ? undefined : { instant, tolerance: oneDay, isOfMinute: false };
}

/**
 * The instant of unix seconds: a service that reads timestamps as wall time may tell those that it
 * was sent.
 */
function instantOfEcho(
  { window, windowClock }: AskedWindow,
  name: 'since' | 'until',
  seconds: number,
): number {
  const wanted = window[name];
  const shift = offsetAt(wanted, window.zone);
  const isEcho = seconds === wanted + shift || (name === 'until' && seconds === wanted + shift + 1);
  return windowClock === 'wall' && isEcho ? wanted : seconds;
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
