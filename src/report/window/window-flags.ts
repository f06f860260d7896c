import { UsageError } from '../../errors.ts';
import { type FlagValue, refuse } from '../mistakes.ts';
import { parseInstant, type ResolvedInstant } from './instant.ts';
import { parsePeriod } from './period.ts';
import { formatInstant, type Window, ZoneClock } from './window.ts';
import { checkZoneName } from './zone-name.ts';

/** The flags of a window, as the user wrote them. */
export interface WindowFlags {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly period?: string | undefined;
  /** Zone that days and wall times are of: the report's, never the machine's. */
  readonly zone: string;
  /** The present, in milliseconds since 1970. */
  readonly nowMs: number;
}

const examples =
  'For example: --period yesterday, --period last-7d, --period 2026-10, or --since 2026-11-01 --until 2026-11-15.';

/**
 * The window that `--since` and `--until`, or `--period`, name in a zone (`cli.md`, Flags of `report create` and
 * `run`). Throws `UsageError` for a value that is no date, and for a window that is missing, double, reversed or
 * before 1970.
 */
export function resolveWindow(flags: WindowFlags): Window {
  const zone = checkZoneName({ flag: '--timezone', text: flags.zone });
  const clock = new ZoneClock(zone);
  const now = Math.floor(flags.nowMs / 1_000);
  const { since, until, period } = flags;
  if (period !== undefined) {
    if (since !== undefined || until !== undefined) {
      const other = since === undefined ? '--until' : '--since';
      throw new UsageError(`--period and ${other} both name a window.`, {
        hint: 'Give --period, or --since and --until.',
      });
    }
    const value = { flag: '--period', text: period };
    return checkAge({ ...parsePeriod(value, clock, now), zone, notes: [] }, value);
  }
  if (since === undefined) {
    const problem = until === undefined ? 'The report has no window.' : '--until needs --since.';
    throw new UsageError(problem, { hint: examples });
  }
  return windowBetween({ flag: '--since', text: since }, { flag: '--until', text: until ?? 'now' }, clock, now);
}

function windowBetween(since: FlagValue, until: FlagValue, clock: ZoneClock, now: number): Window {
  const first = parseInstant(since, { edge: 'since', clock, now });
  const last = parseInstant(until, { edge: 'until', clock, now });
  if (first.instant > last.instant) {
    const [from, to] = [first, last].map(({ instant }) => formatInstant(instant, clock.name));
    throw new UsageError(`--since ${from} is after --until ${to}: the window would end before it begins.`, {
      hint: 'The window runs from --since to --until (by default now).',
    });
  }
  const window = { since: first.instant, until: last.instant, zone: clock.name, notes: notesOf(first, last) };
  return checkAge(window, since);
}

function notesOf(...instants: readonly ResolvedInstant[]): string[] {
  return instants.flatMap(({ note }) => (note === undefined ? [] : [note]));
}

/** The service counts in unix seconds, from 1970 on (specification, Report request parameters). */
function checkAge(window: Window, value: FlagValue): Window {
  if (window.since >= 0) return window;
  throw refuse(value, "the service's time begins with 1970-01-01T00:00:00Z");
}
