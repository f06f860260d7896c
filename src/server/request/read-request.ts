import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import {
  type Breakdown,
  breakdowns,
  type Filter,
  type FilterName,
  filters,
  findBreakdown,
  findMetric,
  type Metric,
  metrics,
  vocabularyOf,
} from '../../contract/vocabulary.ts';
import { nearest } from '../../text/nearest.ts';
import type { Account } from '../fixtures/fixtures.ts';
import { type ErrorId, errorIds, type FaultDetail, ServiceError } from '../service/service-error.ts';
import { type Parameters, readArray, readScalar } from './parse-body.ts';

/** The values that an array parameter has at most. */
const valuesAtMost = 1_000;
/** Enough for every honest mistake; a hostile body has thousands, and each would cost a sentence. */
const detailsAtMost = 100;
/** 9999-12-31T23:59:59Z: beyond it dates have no four-digit year. */
export const latestSecond = 253_402_300_799;
const plainParameters: readonly string[] = ['since', 'until', 'metrics', 'breakdowns', 'timezone', 'output'];
const everyParameter = [...plainParameters, ...filters.map(({ name }) => name)];

/** The gravest fault names the answer; `ADMIN_ONLY` is last, because a request that is wrong in itself is mended before. */
const gravity: readonly ErrorId[] = [...errorIds[400], 'ADMIN_ONLY'];

/**
 * The report request that the parameters of `POST /buyer-reporting` make, for an account (`decisions.md` 2).
 * Throws one `ServiceError` that lists everything that is wrong.
 *
 * @param lenient whether parameters that are not known are passed over
 */
export function readReportRequest(given: Parameters, account: Account, lenient: boolean): ReportRequest {
  const reader = new RequestReader(given, account);
  const since = reader.readInstant('since') ?? 0;
  const until = reader.readInstant('until') ?? latestSecond;
  if (since > until) reader.refuse('INVALID_PARAMETER', 'since', `is after until (${until}).`, { value: since });
  const request = {
    since,
    until,
    metrics: reader.readMetrics(),
    breakdowns: reader.readBreakdowns(),
    filters: reader.readFilters(),
    ...reader.readTimezone(),
    ...reader.readOutput(),
  };
  for (const name of lenient ? [] : Object.keys(given)) {
    if (everyParameter.includes(name)) continue;
    const problem = `is no parameter of a report${suggestion(name, everyParameter)}`;
    reader.refuse('UNKNOWN_PARAMETER', shown(name), problem, { allowed: everyParameter });
  }
  reader.throwFaults();
  return request;
}

/** Reads one parameter after the other, and keeps what is wrong with them. */
class RequestReader {
  readonly #given: Parameters;
  readonly #account: Account;
  readonly #faults: { readonly errorId: ErrorId; readonly detail: FaultDetail }[] = [];

  constructor(given: Parameters, account: Account) {
    this.#given = given;
    this.#account = account;
  }

  refuse(errorId: ErrorId, parameter: string, problem: string, more: Partial<FaultDetail> = {}): undefined {
    this.#faults.push({ errorId, detail: { parameter, problem, ...more } });
  }

  throwFaults(): void {
    const [gravest] = this.#faults.toSorted((a, b) => gravity.indexOf(a.errorId) - gravity.indexOf(b.errorId));
    if (!gravest) return;
    const others = this.#faults.length - 1;
    const more = others === 0 ? '' : ` ${others === 1 ? 'One more fault is' : `${others} more faults are`} in details.`;
    const { parameter, problem } = gravest.detail;
    const details = this.#faults.slice(0, detailsAtMost).map(({ detail }) => detail);
    throw new ServiceError(gravest.errorId, `${parameter}: ${problem}${more}`, { details });
  }

  /** Whether a parameter is absent, or as good as absent. */
  #lacks(name: string): boolean {
    return [undefined, null, ''].some((nothing) => this.#given[name] === nothing);
  }

  readInstant(name: 'since' | 'until'): number | undefined {
    const allowed = 'a unix timestamp in whole seconds';
    if (this.#lacks(name)) return this.refuse('MISSING_PARAMETER', name, `is missing: give ${allowed}.`, { allowed });
    const text = (readScalar(this.#given[name]) ?? '').trim();
    if (/^\d{1,12}$/.test(text) && Number(text) <= latestSecond) return Number(text);
    const problem = /^\d{13}$/.test(text)
      ? `looks like milliseconds: divide by 1000 (${text.slice(0, 10)}).`
      : `must be ${allowed}.`;
    return this.refuse('INVALID_PARAMETER', name, problem, { value: shown(this.#given[name]), allowed });
  }

  /** The metrics asked for: a comma list or an array, at least one. */
  readMetrics(): ReportRequest['metrics'] {
    const allowed = vocabularyOf(this.#account.profile).metrics.map(({ name }) => name);
    const names = this.#readArray('metrics', (value) => namesIn(value.split(',', valuesAtMost + 1)));
    if (names?.length === 0) {
      this.refuse('MISSING_PARAMETER', 'metrics', 'is missing: name at least one metric.', { allowed });
    }
    const found = (names ?? []).flatMap((name) => this.#findName('metrics', name, findMetric(name)) ?? []);
    return found.map(({ name }) => name);
  }

  /** The breakdowns asked for: an array, of which one at most is of time; `daily` and `DAILY` are one. */
  readBreakdowns(): ReportRequest['breakdowns'] {
    const names = this.#readArray('breakdowns', (value) => namesIn([value])) ?? [];
    const found = new Set(names.flatMap((name) => this.#findName('breakdowns', name, findBreakdown(name)) ?? []));
    const times = [...found].filter(({ time }) => time).map(({ name }) => name);
    if (times.length > 1) {
      const problem = `${times.join(' and ')} exclude each other: use at most one time breakdown.`;
      this.refuse('CONFLICTING_BREAKDOWNS', 'breakdowns', problem, { value: times });
    }
    return [...found].map(({ name }) => name);
  }

  /** The values of an array parameter, repeats dropped, in their order. */
  #readArray(parameter: string, parts: (value: string) => readonly string[]): string[] | undefined {
    const values = readArray(this.#given[parameter])?.flatMap(parts);
    if (!values) {
      return this.refuse('INVALID_PARAMETER', parameter, 'must be a list of values: send a long ID as a string.');
    }
    if (values.length > valuesAtMost) {
      const allowed = `at most ${valuesAtMost} values`;
      return this.refuse('INVALID_PARAMETER', parameter, `has more than ${valuesAtMost} values.`, { allowed });
    }
    return [...new Set(values)];
  }

  #findName<Entry extends Metric | Breakdown>(
    parameter: 'metrics' | 'breakdowns',
    name: string,
    entry: Entry | undefined,
  ): Entry | undefined {
    const { profile } = this.#account;
    if (entry?.profiles.includes(profile)) return entry;
    const value = shown(name);
    const more = { value, allowed: vocabularyOf(profile)[parameter].map((known) => known.name) };
    if (entry) {
      const problem = `${value} is not available to the ${profile} profile.`;
      return this.refuse('PROFILE_MISMATCH', parameter, problem, more);
    }
    const known = (parameter === 'metrics' ? metrics : breakdowns).map((one) => one.name);
    const advice = name.includes(',')
      ? ': send each breakdown by itself, as an array or as breakdowns[0]=…&breakdowns[1]=….'
      : suggestion(name, known);
    return this.refuse('INVALID_PARAMETER', parameter, `${value} is not known${advice}`, more);
  }

  readFilters(): ReportRequest['filters'] {
    const { profile, admin } = this.#account;
    const read: { [Name in FilterName]?: readonly string[] } = {};
    for (const { name, profiles, adminOnly, compare } of filters as readonly Filter[]) {
      if (this.#given[name] === undefined) continue;
      if (!profiles.includes(profile)) {
        const problem = `is not available to the ${profile} profile.`;
        this.refuse('PROFILE_MISMATCH', name, problem, { allowed: plainParameters });
      } else if (adminOnly && !admin) {
        this.refuse('ADMIN_ONLY', name, 'is for admin accounts only: leave it out.');
      } else {
        const values = this.#readArray(name, (value) => [compare === 'id' ? value.trim() : value]) ?? [];
        for (const item of compare === 'id' ? values : []) {
          if (/^\d{1,20}$/.test(item)) continue;
          const more = { value: shown(item), allowed: 'digits' };
          this.refuse('INVALID_PARAMETER', name, `“${shown(item)}” is no ID: IDs are digits.`, more);
        }
        if (values.length > 0) read[name] = values;
      }
    }
    return read;
  }

  /** DSP only; for a buyer it is accepted and has no effect, because the summary always states europe/paris. */
  readTimezone(): { readonly timezone?: string } {
    if (this.#account.profile === 'buyer') return {};
    if (this.#lacks('timezone')) return { timezone: defaultZone };
    const value = shown(this.#given.timezone);
    const timezone = readScalar(this.#given.timezone)?.trim() ?? '';
    if (isZone(timezone)) return { timezone };
    const problem = `“${value}” is no time zone of the TZ database${suggestion(value, Intl.supportedValuesOf('timeZone'))}`;
    this.refuse('INVALID_PARAMETER', 'timezone', problem, { value });
    return {};
  }

  readOutput(): { readonly output?: 'direct' } {
    if (this.#lacks('output')) return {};
    if (this.#given.output === 'direct') return { output: 'direct' };
    const value = shown(this.#given.output);
    const problem = `“${value}” is not known: leave it out, or use direct.`;
    this.refuse('INVALID_PARAMETER', 'output', problem, { value, allowed: ['direct'] });
    return {};
  }
}

function namesIn(values: readonly string[]): string[] {
  return values.map((value) => value.trim()).filter((value) => value !== '');
}

/** Whether the platform knows the zone by an IANA name; offsets such as `+02:00` are no names. */
function isZone(text: string): boolean {
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}

/** The end of a sentence about a name that is not known. */
function suggestion(name: string, candidates: readonly string[]): string {
  const guess = nearest(name, candidates);
  return guess ? `: did you mean ${guess}?` : '.';
}

/** A value as it may be repeated in an answer: short, and text whatever it was. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  const text = String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
