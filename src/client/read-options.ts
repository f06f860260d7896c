import { checkBaseUrl } from '../api/base-url.ts';
import { exampleProxy, parseProxyUrl } from '../api/http.ts';
import {
  type Encoding,
  encodings,
  tokenPattern,
  type WindowClock,
  windowClocks,
} from '../contract/messages.ts';
import { computedMetrics, type Profile, profiles } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { buildQuery, parseTimezone } from '../query/build-query.ts';
import type { QueryFlags } from '../query/flags/run-flags.ts';
import { toWholePart } from '../query/parts.ts';
import type { Part, Query } from '../query/query.ts';
import {
  booleanCheck,
  choiceCheck,
  findIssue,
  functionCheck,
  listCheck,
  type MemberCheck,
  stringCheck,
  wholeNumberCheck,
} from '../text/check-members.ts';
import { isObject } from '../text/json-object.ts';
import type { CreateClientOptions, FetchOptions, ReportOptions } from './public-types.ts';

/** Settings of a client, checked and with their defaults. */
export interface CheckedSettings {
  readonly baseUrl: URL;
  readonly token: string | undefined;
  readonly credentials: { readonly email: string; readonly password: string } | undefined;
  readonly profile: Profile;
  readonly timezone: string | undefined;
  readonly encoding: Encoding;
  readonly windowClock: WindowClock;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly proxy: URL | undefined;
  readonly signal: AbortSignal | undefined;
}

const maxMs = 24 * 3_600_000;

const signal: MemberCheck = {
  expected: 'the signal of an AbortController',
  isValid: (value) => value instanceof AbortSignal,
};

const settingChecks: Readonly<Record<keyof CreateClientOptions, MemberCheck>> = {
  baseUrl: {
    expected: 'a string or a URL',
    isValid: (value) => typeof value === 'string' || value instanceof URL,
  },
  token: {
    expected: 'a token alone, without blanks or “Bearer”',
    isValid: (value) => typeof value === 'string' && tokenPattern.test(value.trim()),
    isSecret: true,
  },
  email: stringCheck,
  password: { ...stringCheck, isSecret: true },
  profile: choiceCheck(profiles),
  timezone: stringCheck,
  encoding: choiceCheck(encodings),
  windowClock: choiceCheck(windowClocks),
  timeoutMs: wholeNumberCheck({ min: 1, max: maxMs }, 'milliseconds'),
  retries: wholeNumberCheck({ min: 0, max: 1_000 }),
  proxy: {
    expected: `an http or https URL that ends with its port: ${exampleProxy}`,
    isValid: (value) => parseProxyUrl(String(value)) !== undefined,
    isSecret: true,
  },
  allowHttp: listCheck('server'),
  signal,
};

const fetchChecks: Readonly<Record<keyof FetchOptions, MemberCheck>> = {
  signal,
  onProgress: functionCheck,
  waitTimeoutMs: wholeNumberCheck({ min: 0, max: maxMs }, 'milliseconds'),
  strict: booleanCheck,
};

const time: MemberCheck = {
  expected: 'a date such as 2026-11-01',
  isValid: (value) => typeof value === 'string' || typeof value === 'number',
};

const reportChecks: Readonly<Record<keyof ReportOptions, MemberCheck>> = {
  period: { ...stringCheck, expected: 'a string such as last-7d' },
  since: time,
  until: time,
  by: listCheck('DAILY'),
  metrics: listCheck('displays'),
  filters: {
    expected: "an object of lists such as { country: ['FR'] }",
    isValid: (value) => isObject(value) && Object.values(value).every(isFilter),
  },
};

function isFilter(values: unknown): boolean {
  return values === undefined || (Array.isArray(values) && values.length > 0);
}

/** Throws `UsageError` for an unknown or invalid option. */
function requireOptions(options: unknown, checks: Readonly<Record<string, MemberCheck>>): void {
  const issue = findIssue(options, checks, 'option');
  if (issue) throw new UsageError(issue.message, { hint: issue.hint });
}

/** Reads the settings of a client. Throws `UsageError` for a missing, unknown or invalid option. */
export function readSettings(options: CreateClientOptions): CheckedSettings {
  requireOptions(options, settingChecks);
  const { baseUrl, token, email, password, proxy, allowHttp = [] } = options;
  const { profile = 'buyer', timezone, encoding = 'json', windowClock = 'instant' } = options;
  const { timeoutMs = 30_000, retries = 5, signal } = options;
  const credentials = email !== undefined && password !== undefined && { email, password };
  if (baseUrl === undefined) throw missingOptionError('baseUrl, the URL of the service');
  if (token === undefined && !credentials) {
    throw missingOptionError(email === undefined ? 'token, or email and password' : 'password');
  }

  return rewordErrors(() => ({
    baseUrl: checkBaseUrl(String(baseUrl), { hosts: allowHttp, option: 'allowHttp' }),
    token: token?.trim(),
    credentials: token === undefined && credentials ? credentials : undefined,
    profile,
    timezone: timezone === undefined ? undefined : parseTimezone(timezone, profile),
    encoding,
    windowClock,
    timeoutMs,
    retries,
    proxy: proxy === undefined ? undefined : parseProxyUrl(String(proxy)),
    signal,
  }));
}

function missingOptionError(option: string): UsageError {
  return new UsageError(`createClient needs ${option}.`, {
    hint: 'Nothing is read from the environment: pass it, for example token: process.env.ADREPORT_TOKEN.',
  });
}

export function requireId(id: unknown): void {
  if (typeof id === 'string' && id.trim() !== '') return;
  throw new UsageError('The ID of the report is missing.', {
    hint: 'Pass the id of createReport or of a report.',
  });
}

/** Throws `UsageError` for an unknown or invalid option. */
export function readFetchOptions(options: FetchOptions = {}): FetchOptions {
  requireOptions(options, fetchChecks);
  return options;
}

/** Returns the report to request. Throws `UsageError` for an invalid option. */
export function readReport(options: ReportOptions, settings: CheckedSettings): Part {
  requireOptions(options, reportChecks);
  const { profile, timezone, windowClock } = settings;
  const { since, until, filters = {}, ...others } = options;
  const filter = Object.entries(filters).flatMap(([name, values]) => {
    return values === undefined ? [] : [{ name, values: values.map(String) }];
  });
  const flags: QueryFlags = {
    ...others,
    since: since?.toString(),
    until: until?.toString(),
    filter,
    timezone,
  };
  const nowMs = Date.now();
  return rewordErrors(() => {
    const query = buildQuery(flags, { profile, windowClock, nowMs });
    refuseComputed(query);
    return toWholePart(query, nowMs);
  });
}

/** Throws `UsageError` for WEEKLY and computed metrics, which only the command line supports. */
function refuseComputed({ breakdowns, metrics }: Query): void {
  if (breakdowns.includes('WEEKLY')) {
    throw new UsageError('The client does not support WEEKLY, which needs one report per week.', {
      hint: "Use by: ['RANGE'] for each week, or by: ['DAILY'] and add up the days.",
    });
  }

  const computed = computedMetrics.find(({ name }) => metrics.includes(name));
  if (!computed) return;
  const { name, numerator, denominator } = computed;
  throw new UsageError(
    `The client cannot request ${name}, which is computed from ${numerator} and ${denominator}.`,
    {
      hint: `Use metrics: ['${numerator}', '${denominator}'] and divide their sums.`,
    },
  );
}

/** Library options by flag, where the names differ. */
const optionsByFlag: Readonly<Record<string, string>> = {
  '--filter': 'filters',
  '--base-url': 'baseUrl',
  '--window-clock': 'windowClock',
};

/** Rewords command-line errors so that they mention the library's options. */
function rewordErrors<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(replaceFlags(error.message), { hint: rewordHint(error.hint) });
  }
}

function rewordHint(hint = ''): string {
  if (/--(campaign|ad-unit|advertiser)\b/.test(hint)) return 'Find IDs with client.campaigns().';
  const isForLibrary = hint !== '' && !/adreport |ADREPORT_/.test(hint);
  return isForLibrary ? replaceFlags(hint) : 'See the types of the options.';
}

function replaceFlags(message: string): string {
  return message.replace(/--[a-z-]+/g, (flag) => optionsByFlag[flag] ?? flag.slice(2));
}
