import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import {
  type Breakdown,
  filters,
  findBreakdown,
  findMetric,
  type Metric,
  vocabularyOf,
} from '../../contract/vocabulary.ts';
import { nearest } from '../../text/nearest.ts';
import { isZone } from '../calendar.ts';
import type { Account } from '../fixtures/fixtures.ts';
import {
  type ErrorId,
  errorIds,
  type FaultDetail,
  ServiceError,
} from '../service/service-error.ts';
import { type Parameters, readArray, readScalar } from './parse-body.ts';

/** The values that an array parameter has at most. */
const valuesAtMost = 1_000;
/** Enough for every honest mistake; a hostile body has thousands, and each would cost a sentence. */
const detailsAtMost = 100;
/** 9999-12-31T23:59:59Z: beyond it dates have no four-digit year. */
export const latestSecond = 253_402_300_799;
const plainParameters: readonly string[] = [
  'since',
  'until',
  'metrics',
  'breakdowns',
  'timezone',
  'output',
];
const everyParameter = [...plainParameters, ...filters.map(({ name }) => name)];

/**
 * The report request that the parameters of `POST /buyer-reporting` make, for an account (`decisions.md` 2).
 * Throws one `ServiceError` that lists everything that is wrong.
 *
 * @param lenient whether parameters that are not known are passed over
 */
export function readReportRequest(
  given: Parameters,
  account: Account,
  lenient: boolean,
): ReportRequest {
  const { profile } = account;
  const own = vocabularyOf(profile);
  const faults: { readonly errorId: ErrorId; readonly detail: FaultDetail }[] = [];
  const refuse = (
    errorId: ErrorId,
    parameter: string,
    problem: string,
    more?: Partial<FaultDetail>,
  ): void => {
    faults.push({ errorId, detail: { parameter, problem, ...more } });
  };
  const isAbsent = (name: string): boolean =>
    [undefined, null, ''].some((nothing) => given[name] === nothing);

  const readInstant = (name: 'since' | 'until'): number => {
    const allowed = 'a unix timestamp in whole seconds';
    const text = readScalar(given[name])?.trim() ?? '';
    if (/^\d{1,12}$/.test(text) && Number(text) <= latestSecond) return Number(text);
    const advice = /^\d{13}$/.test(text)
      ? `looks like milliseconds: divide by 1000 (${text.slice(0, 10)}).`
      : `must be ${allowed}.`;
    if (isAbsent(name))
      refuse('MISSING_PARAMETER', name, `is missing: give ${allowed}.`, { allowed });
    else refuse('INVALID_PARAMETER', name, advice, { value: shown(given[name]), allowed });
    return Number.NaN;
  };

  /** The values of an array parameter, each made of one or more of its texts, repeats dropped, in their order. */
  const readList = (parameter: string, split: (text: string) => readonly string[]): string[] => {
    const values = readArray(given[parameter])?.flatMap(split);
    if (values && values.length <= valuesAtMost) return [...new Set(values)];
    if (values) {
      const allowed = `at most ${valuesAtMost} values`;
      refuse('INVALID_PARAMETER', parameter, `has more than ${valuesAtMost} values.`, { allowed });
    } else
      refuse(
        'INVALID_PARAMETER',
        parameter,
        'must be a list of values: send a long ID as a string.',
      );
    return [];
  };

  /** What the names of a list stand for, each once; those that are unknown or another profile's are refused. */
  const readNames = <Entry extends Metric | Breakdown>(
    parameter: 'metrics' | 'breakdowns',
    find: (name: string) => Entry | undefined,
  ): Entry[] => {
    const names = readList(parameter, (text) => {
      const parts = parameter === 'metrics' ? text.split(',', valuesAtMost + 1) : [text];
      return parts.flatMap((name) => name.trim() || []);
    });
    const allowed = own[parameter].map(({ name }) => name);
    const found = names.map((name) => {
      const entry = find(name);
      if (entry?.profiles.includes(profile)) return entry;
      const value = shown(name);
      const advice = name.includes(',')
        ? ': send each breakdown by itself, as an array or as breakdowns[0]=…&breakdowns[1]=….'
        : suggestion(name, allowed);
      const problem = entry
        ? `is not available to the ${profile} profile.`
        : `is not known${advice}`;
      refuse(entry ? 'PROFILE_MISMATCH' : 'INVALID_PARAMETER', parameter, `${value} ${problem}`, {
        value,
        allowed,
      });
      return undefined;
    });
    return [...new Set(found)].filter((entry) => entry !== undefined);
  };

  const since = readInstant('since');
  const until = readInstant('until');
  if (since > until)
    refuse('INVALID_PARAMETER', 'since', `is after until (${until}).`, { value: since });

  const askedMetrics = readNames('metrics', findMetric);
  if (askedMetrics.length === 0 && !faults.some(({ detail }) => detail.parameter === 'metrics')) {
    const allowed = own.metrics.map(({ name }) => name);
    refuse('MISSING_PARAMETER', 'metrics', 'is missing: name at least one metric.', { allowed });
  }

  const askedBreakdowns = readNames('breakdowns', findBreakdown);
  const times = askedBreakdowns.filter(({ time }) => time).map(({ name }) => name);
  if (times.length > 1) {
    const problem = `${times.join(' and ')} exclude each other: use at most one time breakdown.`;
    refuse('CONFLICTING_BREAKDOWNS', 'breakdowns', problem, { value: times });
  }

  const askedFilters: Record<string, readonly string[]> = {};
  for (const { name, profiles, adminOnly, compare } of filters) {
    if (given[name] === undefined) continue;
    if (!profiles.includes(profile)) {
      refuse('PROFILE_MISMATCH', name, `is not available to the ${profile} profile.`, {
        allowed: plainParameters,
      });
    } else if (adminOnly && !account.admin) {
      refuse('ADMIN_ONLY', name, 'is for admin accounts only: leave it out.');
    } else {
      const values = readList(name, (text) => [compare === 'id' ? text.trim() : text]);
      for (const value of values
        .filter((text) => compare === 'id' && !/^\d{1,20}$/.test(text))
        .map(shown)) {
        refuse('INVALID_PARAMETER', name, `“${value}” is no ID: IDs are digits.`, {
          value,
          allowed: 'digits',
        });
      }
      if (values.length > 0) askedFilters[name] = values;
    }
  }

  // A buyer's timezone is accepted and has no effect, because the summary always states europe/paris.
  const timezone = isAbsent('timezone') ? defaultZone : (readScalar(given.timezone)?.trim() ?? '');
  if (profile === 'dsp' && !isZone(timezone)) {
    const value = shown(given.timezone);
    const guess = suggestion(value, Intl.supportedValuesOf('timeZone'));
    refuse(
      'INVALID_PARAMETER',
      'timezone',
      `“${value}” is no time zone of the TZ database${guess}`,
      { value },
    );
  }

  const output = given.output === 'direct' ? given.output : undefined;
  if (!isAbsent('output') && !output) {
    const value = shown(given.output);
    const problem = `“${value}” is not known: leave it out, or use direct.`;
    refuse('INVALID_PARAMETER', 'output', problem, { value, allowed: ['direct'] });
  }

  for (const name of Object.keys(given).filter(
    (key) => !lenient && !everyParameter.includes(key),
  )) {
    const problem = `is no parameter of a report${suggestion(name, everyParameter)}`;
    refuse('UNKNOWN_PARAMETER', shown(name), problem, { allowed: everyParameter });
  }

  // The gravest fault names the answer; `ADMIN_ONLY` is last: a request that is wrong in itself is mended before.
  const [gravest] = [...errorIds[400], 'ADMIN_ONLY'].flatMap((id) =>
    faults.filter(({ errorId }) => errorId === id),
  );
  if (gravest) {
    const others = faults.length - 1;
    const more =
      others === 0
        ? ''
        : ` ${others === 1 ? 'One more fault is' : `${others} more faults are`} in details.`;
    const details = faults.slice(0, detailsAtMost).map(({ detail }) => detail);
    const { parameter, problem } = gravest.detail;
    throw new ServiceError(gravest.errorId, `${parameter}: ${problem}${more}`, { details });
  }
  const [metrics, breakdowns] = [
    askedMetrics.map(({ name }) => name),
    askedBreakdowns.map(({ name }) => name),
  ];
  return {
    since,
    until,
    metrics,
    breakdowns,
    filters: askedFilters,
    output,
    ...(profile === 'dsp' && { timezone }),
  };
}

/** The end of a sentence about a name that is not known. */
function suggestion(name: string, candidates: readonly string[]): string {
  const guess = nearest(name, candidates);
  return guess ? `: did you mean ${guess}?` : '.';
}

/** A value as it may be repeated in an answer: short, and text whatever it was. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'an array' : 'an object';
  const text = String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
