import type { WindowClock } from '../contract/messages.ts';
import { readTime } from '../contract/values.ts';
import { formatInstant, instantsAt, offsetAt, type Window } from '../query/calendar.ts';
import type { Part } from '../query/query.ts';
import type { ReportMember } from '../rows/row-batch.ts';
import { isObject } from '../text/json-object.ts';
import { printable } from '../text/printable.ts';
import type { CheckMessages } from './check.ts';

/** A summary as received. Fields may be missing or have a wrong type. */
export type Summary = Readonly<Record<string, unknown>>;

/** Returns `undefined` if the `summary` is missing or not an object. */
export function findSummary(members: readonly ReportMember[]): Summary | undefined {
  const member = members.find(({ name }) => name === 'summary');
  const value: unknown = member && JSON.parse(member.json.toString());
  return isObject(value) ? value : undefined;
}

/** Warns if the window in the summary differs from the request. */
export function checkWindow(part: Part, summary: Summary, messages: CheckMessages): void {
  const { zone } = part;
  const since = readEnd('since', summary, part, messages);
  const until = readEnd('until', summary, part, messages);
  if (since === part.since && until === part.until) return;

  const actual = { since, until };
  const warning = `The report covers a different period than requested: ${formatSpan(actual, zone)} instead of ${formatSpan(part, zone)}.`;
  const clock = findClock(actual, part);
  if (clock === undefined || clock === part.query.windowClock)
    messages.addWarning('window', warning);
  else {
    const message = `${warning} ${clockAdvice(clock, zone)}`;
    messages.addWarning('window', message, { forReaders: warning });
  }
}

const secondsPerDay = 86_400;

/** First and last second, in unix seconds. */
type Span = Pick<Window, 'since' | 'until'>;

/**
 * Reads `since` or `until` of a summary. Returns the requested time if the summary has none, if its
 * time is invalid (with a note), or if both mean the same: `until` may be the next second, and a
 * time without an offset may differ by a day, because it may be in any zone.
 */
function readEnd(
  name: 'since' | 'until',
  summary: Summary,
  window: Window,
  messages: CheckMessages,
): number {
  const value = summary[name];
  const wanted = window[name];
  if (value === undefined || value === null || value === '') return wanted;

  const time = typeof value === 'string' ? readTime(value.trim()) : undefined;
  if (!time) {
    const received = printable(JSON.stringify(value).slice(0, 50));
    messages.addNote('window', `The report's period could not be read: ${name} is ${received}.`);
    return wanted;
  }
  if (time.instantMs === undefined) {
    const instant = instantsAt(time.wallMs, window.zone).first;
    return Math.abs(instant - wanted) <= secondsPerDay ? wanted : instant;
  }
  const instant = Math.floor(time.instantMs / 1_000);
  return name === 'until' && instant === wanted + 1 ? wanted : instant;
}

function formatSpan({ since, until }: Span, zone: string): string {
  return `${formatInstant(since, zone)} to ${formatInstant(until, zone)}`;
}

/**
 * Finds the clock by which the service seems to read timestamps, or returns `undefined` if no clock
 * explains the difference.
 */
function findClock(actual: Span, { since, until, zone }: Window): WindowClock | undefined {
  const toWall = (instant: number): number => instant + offsetAt(instant, zone);
  if (toWall(actual.since) === since && toWall(actual.until) === until) return 'wall';
  const isInstant = actual.since === toWall(since) && actual.until === toWall(until);
  return isInstant ? 'instant' : undefined;
}

/** Advises the user to set the clock by which the service reads timestamps. */
function clockAdvice(clock: WindowClock, zone: string): string {
  const meaning = clock === 'wall' ? 'wall time' : 'instants';
  return (
    `It is shifted by the offset of ${zone}: the service reads timestamps as ${meaning}. ` +
    `Run adreport config set window-clock ${clock}, or add --window-clock ${clock}.`
  );
}
