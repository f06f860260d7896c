import { defaultZone } from '../../contract/messages.ts';
import { dayOf, momentOf } from '../../contract/values.ts';
import type { ReportMember } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import {
  formatInstant,
  instantsOf,
  isZoneName,
  offsetAt,
  readWall,
  type Window,
} from '../window.ts';

/** A `summary` as it came: any of its fields may be absent, or of another type than the specification says. */
type Summary = Readonly<Record<string, unknown>>;

/** The `summary` beside the rows; `undefined` where there is none that is an object. */
export function summaryIn(members: readonly ReportMember[]): Summary | undefined {
  const member = members.find(({ name }) => name === 'summary');
  if (!member) return undefined;
  const value: unknown = JSON.parse(member.json.toString());
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Summary) : undefined;
}

/** Compares the window and the zone of a summary with those asked for, field by field. */
export function windowFindings(window: Window, members: readonly ReportMember[]): string[] {
  const summary = summaryIn(members);
  if (!summary) return [];
  return [...spanFindings(window, summary), ...zoneFindings(window, summary)];
}

/** Names the breakdowns that were asked for and that a summary, which lists some, does not list. */
export function breakdownFindings(
  asked: readonly string[],
  members: readonly ReportMember[],
): string[] {
  const listed = summaryIn(members)?.breakdowns;
  const isList = typeof listed === 'object' && listed !== null;
  const names = isList ? Object.values(listed).filter((name) => typeof name === 'string') : [];
  // An empty list says as little as none.
  if (names.length === 0) return [];

  const upper = new Set(names.map((name) => name.trim().toUpperCase()));
  const missing = asked.filter((name) => !upper.has(name));
  if (missing.length === 0) return [];
  const list = printable(names.join(', ').slice(0, 200));
  return [`The report is broken down by ${list}, and not by ${missing.join(', ')}, asked for.`];
}

/** The instants between which a report lies, both included, in seconds since 1970. */
interface Span {
  readonly since: number;
  readonly until: number;
}

function spanFindings(window: Window, summary: Summary): string[] {
  const { zone } = window;
  const unreadable: string[] = [];
  const read = (name: 'since' | 'until'): number | undefined => {
    const value = summary[name];
    if (value === undefined || value === null || value === '') return undefined;
    const instant = instantIn(value, name, zone);
    if (instant === undefined) {
      const text = printable(JSON.stringify(value).slice(0, 50));
      unreadable.push(
        `The window of the report could not be checked: its summary has ${text} as ${name}.`,
      );
    }
    return instant;
  };

  const since = read('since') ?? window.since;
  const untilRead = read('until') ?? window.until;
  // An end that excludes its second is the same end.
  const until = untilRead === window.until + 1 ? window.until : untilRead;
  const actual: Span = { since, until };
  if (actual.since === window.since && actual.until === window.until) return unreadable;

  const actualText = spanText(actual, zone);
  const wantedText = spanText(window, zone);
  const finding = `The report is of another window than asked for: ${actualText} instead of ${wantedText}.`;
  const advice = clockAdvice(actual, window);
  return [...unreadable, advice === undefined ? finding : `${finding} ${advice}`];
}

/** The whole second, since 1970, that a summary's time lies in, in whatever form it is written; `undefined` for no time. */
function instantIn(value: unknown, name: 'since' | 'until', zone: string): number | undefined {
  if (typeof value === 'number') return unixSeconds(value);
  if (typeof value !== 'string') return undefined;

  const text = value.trim();
  if (/^\d{9,13}$/.test(text)) return unixSeconds(Number(text));

  const shape = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)? ?(Z|[+-]\d\d:?\d\d)?$/i;
  const [, day, time, offset] = shape.exec(text) ?? [];
  if (day !== undefined && offset !== undefined) {
    const moment = momentOf(`${day}T${time}${offset.toUpperCase()}`);
    return moment && moment.instantMs / 1_000;
  }

  const isDay = dayOf(text) !== undefined;
  if (day === undefined && !isDay) return undefined;
  const wall = readWall(day === undefined ? text : `${day}T${time}`);
  if (!wall) return undefined;
  if (isDay && name === 'until') return instantsOf(wall.plus({ days: 1 }), zone).first - 1;

  const { first, last } = instantsOf(wall, zone);
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

/** What to set where the service reads timestamps by another clock; `undefined` where the windows differ otherwise. */
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

/** Zones of different names are one where their clocks agree at the ends and in the middle of the window. */
function zoneFindings({ since, until, zone }: Window, summary: Summary): string[] {
  const { timezone } = summary;
  if (typeof timezone !== 'string' || timezone.trim() === '') return [];

  const name = timezone.trim();
  if (name.toLowerCase() === zone.toLowerCase()) return [];

  // A name that nobody knows tells nothing.
  if (!isZoneName(name)) return [];

  const middle = Math.floor((since + until) / 2);
  const instants = [since, middle, until];
  const agrees = instants.every((instant) => offsetAt(instant, name) === offsetAt(instant, zone));
  if (agrees) return [];
  return [`The report is of another zone than asked for: ${printable(name)} instead of ${zone}.`];
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
