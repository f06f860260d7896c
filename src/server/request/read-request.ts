import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import {
  type Breakdown,
  type Filter,
  type FilterName,
  filters,
  findBreakdown,
  findMetric,
  type Metric,
  vocabularyOf,
} from '../../contract/vocabulary.ts';
import { findNearest } from '../../text/nearest.ts';
import { isZone } from '../calendar.ts';
import { latestSecond } from '../clock.ts';
import type { Account } from '../fixtures/fixtures.ts';
import { isAbsent, type Parameters, parseArray, parseScalar } from './parse-body.ts';
import { RequestErrors } from './request-errors.ts';

/** Maximum number of values of an array parameter. */
const maxValues = 1_000;

const plainParameters: readonly string[] = [
  'since',
  'until',
  'metrics',
  'breakdowns',
  'timezone',
  'output',
];
const everyParameter = [...plainParameters, ...filters.map(({ name }) => name)];

/** Parameters of a request, the account that sent it, and the errors found so far. */
interface Input {
  readonly parameters: Parameters;
  readonly account: Account;
  readonly errors: RequestErrors;
}

/**
 * Parses the parameters of `POST /buyer-reporting` for an account (`decisions.md` 2). Throws one
 * `ServiceError` that lists every error.
 */
export function parseReportRequest(parameters: Parameters, account: Account): ReportRequest {
  const errors = new RequestErrors();
  const input = { parameters, account, errors };
  const window = parseWindow(input);
  const metrics = parseMetrics(input);
  const breakdowns = parseBreakdowns(input);
  const filterValues = parseFilters(input);
  const timezone = parseZone(input);
  const output = parseOutput(input);
  refuseUnknownParameters(input);
  errors.throwIfAny();

  return {
    ...window,
    metrics: metrics.map(({ name }) => name),
    breakdowns: breakdowns.map(({ name }) => name),
    filters: filterValues,
    output,
    // A buyer's timezone is ignored: the summary always has europe/paris.
    ...(account.profile === 'dsp' && { timezone }),
  };
}

function parseWindow(input: Input): Pick<ReportRequest, 'since' | 'until'> {
  const since = parseInstant(input, 'since');
  const until = parseInstant(input, 'until');
  if (since > until) {
    input.errors.addInvalid({
      parameter: 'since',
      value: since,
      problem: `is after until (${until}).`,
    });
  }
  return { since, until };
}

/** Reads `since` or `until`. Returns `NaN` after adding an error. */
function parseInstant({ parameters, errors }: Input, parameter: 'since' | 'until'): number {
  const value = parameters[parameter];
  const text = parseScalar(value)?.trim() ?? '';
  if (/^\d{1,12}$/.test(text) && Number(text) <= latestSecond) return Number(text);

  const allowed = 'a unix timestamp in whole seconds';
  if (isAbsent(value)) {
    const problem = `is missing: send ${allowed}.`;
    errors.add('MISSING_PARAMETER', { parameter, problem, allowed });
    return Number.NaN;
  }

  const isMilliseconds = /^\d{13}$/.test(text);
  const problem = isMilliseconds
    ? `looks like milliseconds: divide by 1000 (${text.slice(0, 10)}).`
    : `must be ${allowed}.`;
  errors.addInvalid({ parameter, value: describeValue(value), problem, allowed });
  return Number.NaN;
}

function parseMetrics(input: Input): Metric[] {
  const names = parseList(input, 'metrics', (text) => parseNames(text.split(',', maxValues + 1)));
  if (names?.length === 0) {
    input.errors.add('MISSING_PARAMETER', {
      parameter: 'metrics',
      problem: 'is missing: name at least one metric.',
      allowed: listNames(input, 'metrics'),
    });
  }
  return findAll(input, 'metrics', { names: names ?? [], find: findMetric });
}

function parseBreakdowns(input: Input): Breakdown[] {
  const names = parseList(input, 'breakdowns', (text) => parseNames([text])) ?? [];
  const breakdowns = findAll(input, 'breakdowns', { names, find: findBreakdown });

  const timeNames = breakdowns.filter(({ time }) => time).map(({ name }) => name);
  if (timeNames.length > 1) {
    input.errors.add('CONFLICTING_BREAKDOWNS', {
      parameter: 'breakdowns',
      value: timeNames,
      problem: `${timeNames.join(' and ')} cannot be combined: use at most one time breakdown.`,
    });
  }
  return breakdowns;
}

/**
 * Finds the entries with these names, without duplicates. Adds an error for each name that the
 * profile does not have.
 */
function findAll<Entry extends Metric | Breakdown>(
  input: Input,
  parameter: 'metrics' | 'breakdowns',
  { names, find }: { names: readonly string[]; find: (name: string) => Entry | undefined },
): Entry[] {
  const { account, errors } = input;
  const allowed = listNames(input, parameter);
  const entries = new Set<Entry>();

  for (const name of names) {
    const entry = find(name);
    if (entry?.profiles.includes(account.profile)) {
      entries.add(entry);
      continue;
    }

    const value = describeValue(name);
    const reason = entry
      ? `is not available to the ${account.profile} profile.`
      : `is not known${formatAdvice(name, allowed)}`;
    const errorId = entry ? 'PROFILE_MISMATCH' : 'INVALID_PARAMETER';
    errors.add(errorId, { parameter, value, problem: `${value} ${reason}`, allowed });
  }

  return [...entries];
}

/** Lists the names that the account's profile may use. */
function listNames({ account }: Input, parameter: 'metrics' | 'breakdowns'): string[] {
  return vocabularyOf(account.profile)[parameter].map(({ name }) => name);
}

function parseFilters(input: Input): ReportRequest['filters'] {
  const valuesByName: { [Name in FilterName]?: readonly string[] } = {};

  for (const filter of filters) {
    if (input.parameters[filter.name] === undefined || !isAllowed(input, filter)) continue;

    const values = parseFilter(input, filter);
    if (values.length > 0) valuesByName[filter.name] = values;
  }

  return valuesByName;
}

/** Adds an error if the account may not use the filter. */
function isAllowed(
  { account: { profile, admin }, errors }: Input,
  { name: parameter, profiles, adminOnly }: Filter,
): boolean {
  if (!profiles.includes(profile)) {
    const problem = `is not available to the ${profile} profile.`;
    errors.add('PROFILE_MISMATCH', { parameter, problem, allowed: plainParameters });
    return false;
  }
  if (adminOnly && !admin) {
    const problem = 'is for admin accounts only: leave it out.';
    errors.add('ADMIN_ONLY', { parameter, problem });
    return false;
  }
  return true;
}

function parseFilter(input: Input, { name: parameter, compare }: Filter): readonly string[] {
  if (compare === 'text') return parseList(input, parameter, (text) => [text]) ?? [];

  const ids = parseList(input, parameter, (text) => [text.trim()]) ?? [];
  for (const id of ids) {
    if (/^\d{1,20}$/.test(id)) continue;

    const value = describeValue(id);
    const problem = `“${value}” is not an ID: IDs are digits.`;
    input.errors.addInvalid({ parameter, value, problem, allowed: 'digits' });
  }
  return ids;
}

/**
 * Reads the values of a parameter in request order, without duplicates. `split` divides a string
 * into values. Returns `undefined` after adding an error.
 */
function parseList(
  { parameters, errors }: Input,
  parameter: string,
  split: (text: string) => readonly string[],
): readonly string[] | undefined {
  const elements = parseArray(parameters[parameter]);
  if (!elements) {
    const problem = 'must be a list of values: send a long ID as a string.';
    errors.addInvalid({ parameter, problem });
    return undefined;
  }

  const values = elements.flatMap(split);
  if (values.length > maxValues) {
    const problem = `has more than ${maxValues} values.`;
    errors.addInvalid({ parameter, problem, allowed: `at most ${maxValues} values` });
    return undefined;
  }
  return [...new Set(values)];
}

function parseZone({ parameters, account, errors }: Input): string {
  const { timezone } = parameters;
  if (isAbsent(timezone)) return defaultZone;

  const zone = parseScalar(timezone)?.trim() ?? '';
  if (account.profile === 'dsp' && !isZone(zone)) {
    const value = describeValue(timezone);
    const guess = formatSuggestion(value, Intl.supportedValuesOf('timeZone'));
    const problem = `“${value}” is not a time zone of the TZ database${guess}`;
    errors.addInvalid({ parameter: 'timezone', value, problem });
  }
  return zone;
}

function parseOutput({ parameters, errors }: Input): 'direct' | undefined {
  const { output } = parameters;
  if (output === 'direct') return output;
  if (isAbsent(output)) return undefined;

  const value = describeValue(output);
  const problem = `“${value}” is not known: leave it out, or use direct.`;
  errors.addInvalid({ parameter: 'output', value, problem, allowed: ['direct'] });
  return undefined;
}

function refuseUnknownParameters({ parameters, errors }: Input): void {
  for (const name of Object.keys(parameters)) {
    if (everyParameter.includes(name)) continue;

    errors.add('UNKNOWN_PARAMETER', {
      parameter: describeValue(name),
      problem: `is not a parameter of a report${formatSuggestion(name, everyParameter)}`,
      allowed: everyParameter,
    });
  }
}

/** Trims names and drops empty names. */
function parseNames(names: readonly string[]): string[] {
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** Adds advice about an unknown name to a message. */
function formatAdvice(name: string, candidates: readonly string[]): string {
  if (name.includes(',')) {
    return ': send each breakdown as a separate value, in an array or as breakdowns[0]=…&breakdowns[1]=….';
  }
  return formatSuggestion(name, candidates);
}

/** Adds the closest name to a message, if there is one. */
function formatSuggestion(name: string, candidates: readonly string[]): string {
  const guess = findNearest(name, candidates);
  return guess ? `: did you mean ${guess}?` : '.';
}

/** Shortens a value so that it can be repeated in a response. */
function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';

  const text = String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
