import { defaultZone, type WindowClock } from '../contract/messages.ts';
import { readTime } from '../contract/values.ts';
import { formatInstant, instantsAt, isZoneName, offsetAt, type Window } from '../query/calendar.ts';
import type { Expectation } from '../query/expectation.ts';
import type { ReportMember } from '../rows/row-batch.ts';
import { isObject } from '../text/json-object.ts';
import { printable } from '../text/printable.ts';
import type { CheckMessages } from './row-check.ts';

/** As received: any field may be absent or have the wrong type. */
type Summary = Readonly<Record<string, unknown>>;

/** Requested window, and how its ends were sent; `instant` if absent. */
export type RequestedWindow = Pick<Expectation, 'window' | 'windowClock'>;

/** Request time of the report and now, in milliseconds since 1970. */
export interface ReportTimes {
  readonly createdMs: number;
  readonly nowMs: number;
}

/** Largest difference between two working clocks, in seconds. */
const maxDifference = 300;

/** Returns `undefined` if the `summary` is absent or not an object. */
export function findSummary(members: readonly ReportMember[]): Summary | undefined {
  const member = members.find(({ name }) => name === 'summary');
  if (!member) return undefined;
  const value: unknown = JSON.parse(member.json.toString());
  return isObject(value) ? value : undefined;
}

/**
 * Finds a summary whose window differs from the requested one. A time without an offset only
 * differs if it is more than a day away.
 */
export function checkWindow(
  requested: RequestedWindow,
  summary: Summary,
  times: ReportTimes,
  messages: CheckMessages,
): void {
  const { window } = requested;
  const { zone } = window;
  const since = readEnd('since', summary.since, requested);
  const until = readEnd('until', summary.until, requested);
  for (const [name, end] of Object.entries({ since, until })) {
    const value = summary[name];
    const isPresent = value !== undefined && value !== null && value !== '';
    if (!isPresent || end) continue;
    const text = printable(JSON.stringify(value).slice(0, 50));
    messages.addNote(
      'window',
      `The report's period could not be checked: ${name} in its summary is ${text}.`,
    );
  }

  const isSameStart = since === undefined || isSame(since, window.since);
  const isSameEnd = until === undefined || isEndOf(window, until, times);
  if (isSameStart && isSameEnd) return;

  const actual = {
    since: isSameStart ? window.since : (since?.instant ?? window.since),
    until: isSameEnd ? window.until : (until?.instant ?? window.until),
  };
  const actualText = spanText(actual, zone);
  const wantedText = spanText(window, zone);
  const warning = `The report covers a different period than requested: ${actualText} instead of ${wantedText}.`;
  const clock = shiftedClock(actual, window);
  const isOtherClock = clock !== undefined && clock !== requested.windowClock;
  if (!isOtherClock) messages.addWarning('window', warning);
  else
    messages.addWarning('window', `${warning} ${clockAdvice(clock, zone)}`, {
      forReaders: warning,
    });
}

/**
 * Finds a summary whose zone differs from the requested one. Zones are the same if their clocks
 * agree during the year around the window.
 */
export function checkZone(
  { since, until, zone }: Window,
  summary: Summary,
  messages: CheckMessages,
) {
  const { timezone } = summary;
  if (typeof timezone !== 'string' || timezone.trim() === '') return;

  const name = timezone.trim();
  if (!isZoneName(name)) {
    const text = printable(name.slice(0, 50));
    messages.addNote(
      'zone',
      `The report's zone could not be checked: timezone in its summary is ${text}.`,
    );
    return;
  }
  const month = 30 * 86_400;
  const instants = [until];
  for (let instant = since - 6 * month; instant <= since + 6 * month; instant += month) {
    instants.push(instant);
  }
  const agrees = instants.every((instant) => offsetAt(instant, name) === offsetAt(instant, zone));
  if (agrees) return;
  messages.addWarning(
    'zone',
    `The report uses a different zone than requested: ${printable(name)} instead of ${zone}.`,
  );
}

/** First and last second of a report, since 1970. */
interface Span {
  readonly since: number;
  readonly until: number;
}

/** In seconds since 1970, with its precision. */
interface SummaryInstant {
  readonly instant: number;

  /** Instants that differ by at most this many seconds count as the same. */
  readonly tolerance: number;
}

function isSame({ instant, tolerance }: SummaryInstant, wanted: number): boolean {
  return Math.abs(instant - wanted) <= tolerance;
}

/**
 * Accepts the window's last second, the second after it, or the present if the end is in the
 * future.
 */
function isEndOf(
  { until }: Window,
  end: SummaryInstant,
  { createdMs, nowMs }: ReportTimes,
): boolean {
  if (isSame(end, until) || end.instant === until + 1) return true;
  const earliest = Math.min(createdMs, nowMs) / 1_000 - maxDifference;
  const latest = Math.max(createdMs, nowMs) / 1_000 + maxDifference;
  const { instant, tolerance } = end;
  const isNow = instant >= earliest - tolerance && instant <= latest + tolerance;
  return isNow && instant < until;
}

/** Tolerance for a time without an offset, which may be in any zone. */
const oneDay = 86_400;

/**
 * Reads an end of a summary's window: exact with an offset or as unix seconds, within a day without
 * an offset; `undefined` if it is not a time.
 */
function readEnd(
  name: 'since' | 'until',
  value: unknown,
  { window, windowClock }: RequestedWindow,
): SummaryInstant | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  if (/^\d{9,11}(\.\d+)?$/.test(text)) {
    const seconds = Math.floor(Number(text));
    return { instant: instantOfEcho({ window, windowClock }, name, seconds), tolerance: 0 };
  }

  const time = readTime(text);
  if (!time) return undefined;
  if (time.instantMs !== undefined) return { instant: time.instantMs / 1_000, tolerance: 0 };

  const isLastDay = time.isDay && name === 'until';
  const { first, last } = instantsAt(time.wallMs + (isLastDay ? msPerDay : 0), window.zone);
  if (isLastDay) return { instant: first - 1, tolerance: oneDay };
  return { instant: name === 'since' ? first : last, tolerance: oneDay };
}

/**
 * Returns the instant for unix seconds. A service that reads timestamps as wall time may echo those
 * it was sent.
 */
function instantOfEcho(
  { window, windowClock }: RequestedWindow,
  name: 'since' | 'until',
  seconds: number,
): number {
  const wanted = window[name];
  const shift = offsetAt(wanted, window.zone);
  const isEcho = seconds === wanted + shift || (name === 'until' && seconds === wanted + shift + 1);
  return windowClock === 'wall' && isEcho ? wanted : seconds;
}

const msPerDay = 86_400_000;

function spanText({ since, until }: Span, zone: string): string {
  return `${formatInstant(since, zone)} to ${formatInstant(until, zone)}`;
}

/** Returns the clock by which a service reads timestamps, if that explains the difference. */
function shiftedClock(actual: Span, { since, until, zone }: Window): WindowClock | undefined {
  const wallOf = (instant: number): number => instant + offsetAt(instant, zone);
  if (wallOf(actual.since) === since && wallOf(actual.until) === until) return 'wall';
  const isInstant = actual.since === wallOf(since) && actual.until === wallOf(until);
  return isInstant ? 'instant' : undefined;
}

/** For a service that reads timestamps by the other clock. */
function clockAdvice(clock: WindowClock, zone: string): string {
  const meaning = clock === 'wall' ? 'wall time' : 'instants';
  return (
    `It is shifted by the offset of ${zone}: the service reads timestamps as ${meaning}. ` +
    `Run adreport config set window-clock ${clock}, or add --window-clock ${clock}.`
  );
}

/** Reads the window in the summary's zone; `undefined` if it is incomplete. */
export function windowOfSummary({ since, until, timezone }: Summary): Window | undefined {
  const name = typeof timezone === 'string' ? timezone.trim() : '';
  const zone = isZoneName(name) ? name : defaultZone;
  const unknown = { window: { since: 0, until: 0, end: 0, zone } };
  const first = readEnd('since', since, unknown)?.instant;
  const last = readEnd('until', until, unknown)?.instant;
  if (first === undefined || last === undefined || last < first) return undefined;
  return { since: first, until: last, end: last + 1, zone };
}
