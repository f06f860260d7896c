import { checkBaseUrl } from '../api/base-url.ts';
import type { Encoding, WindowClock } from '../contract/messages.ts';
import { derivedMetrics, type Profile, profiles } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { buildQuery } from '../query/build-query.ts';
import { isZoneName } from '../query/calendar.ts';
import { wholePart } from '../query/parts.ts';
import type { Part, Query } from '../query/query.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import type { CreateClientOptions, FetchOptions, ReportOptions } from './public-types.ts';

/** Settings of a client, checked and with their defaults. */
export interface ReadSettings {
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

const settingNames = [
  'baseUrl',
  'token',
  'email',
  'password',
  'profile',
  'timezone',
  'encoding',
  'windowClock',
  'timeoutMs',
  'retries',
  'proxy',
  'allowHttp',
  'signal',
];

const maxTimeoutMs = 24 * 3_600_000;

/** Throws `UsageError` for a missing, unknown or invalid option. */
export function readSettings(options: CreateClientOptions): ReadSettings {
  expectMembers('createClient', options, settingNames);
  const { baseUrl, proxy, signal, timezone, profile = 'buyer', timeoutMs = 30_000 } = options;
  const { encoding = 'json', windowClock = 'instant', retries = 5 } = options;
  if (baseUrl === undefined) {
    throw new UsageError('createClient needs baseUrl, the URL of the service.', {
      about: { member: 'baseUrl' },
      hint: "For example: createClient({ baseUrl: 'https://reports.example.com', token })",
    });
  }

  expectOneOf('profile', profile, profiles);
  expectOneOf('encoding', encoding, ['json', 'form']);
  expectOneOf('windowClock', windowClock, ['instant', 'wall']);
  expectNumber('timeoutMs', timeoutMs, { min: 1, max: maxTimeoutMs });
  expectNumber('retries', retries, { min: 0, max: 1_000 });
  if (timezone !== undefined) expectTimezone(timezone, profile);
  if (signal !== undefined) expectSignal(signal);
  return {
    ...readSignIn(options),
    baseUrl: inOptions(() =>
      checkBaseUrl(String(baseUrl), {
        hosts: readHosts(options.allowHttp),
        option: 'allowHttp',
      }),
    ),
    profile,
    timezone,
    encoding,
    windowClock,
    timeoutMs,
    retries,
    proxy: proxy === undefined ? undefined : readProxyUrl(proxy),
    signal,
  };
}

function readSignIn({
  token,
  email,
  password,
}: CreateClientOptions): Pick<ReadSettings, 'token' | 'credentials'> {
  const given = { token, email, password };
  for (const [member, value] of Object.entries(given)) {
    if (value === undefined || (typeof value === 'string' && value.trim() !== '')) continue;
    throw new UsageError(`${member} is not a string, or is empty.`, { about: { member } });
  }

  if (token !== undefined) return { token: readToken(token), credentials: undefined };
  if (email !== undefined && password !== undefined) {
    return { token: undefined, credentials: { email, password } };
  }
  const missing = email === undefined ? 'token, or email and password' : 'password';
  throw new UsageError(`createClient needs ${missing}.`, {
    about: { member: missing },
    hint: 'Nothing is read from the environment: pass it, for example token: process.env.ADREPORT_TOKEN.',
  });
}

/** Secrets from files end in a line break. Anything else has to fit in a header. */
function readToken(token: string): string {
  const trimmed = token.trim();
  if (/^[\x21-\x7e]{1,4096}$/.test(trimmed)) return trimmed;
  throw new UsageError('token has blanks or other characters that no token has.', {
    about: { member: 'token' },
    hint: 'Pass the token alone, without “Bearer”.',
  });
}

/** Throws `UsageError` for anything but an ID. */
export function expectId(call: string, id: unknown): void {
  if (typeof id === 'string' && id.trim() !== '') return;
  throw new UsageError(`${call} needs the ID of a report.`, {
    about: { member: 'id' },
    hint: `For example: client.${call}(id), with the id of createReport or of a report.`,
  });
}

/** Throws `UsageError` with the closest name for an unknown member. */
function expectMembers(call: string, options: unknown, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(`${call} needs an object with options.`, {
      hint: `Choose from ${names.join(', ')}.`,
    });
  }
  for (const member of Object.keys(options)) {
    if (names.includes(member)) continue;
    throw new UsageError(`Unknown option ${quoted(member)} of ${call}.`, {
      about: { member },
      hint: didYouMean(nearest(member, names), `Choose from ${names.join(', ')}.`),
    });
  }
}

function expectOneOf(member: string, value: unknown, words: readonly string[]): void {
  if (words.some((word) => word === value)) return;
  throw new UsageError(`${member} is ${quoted(String(value))}.`, {
    about: { member },
    hint: `Choose from ${words.join(', ')}.`,
  });
}

function expectNumber(
  member: string,
  value: unknown,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  const isWhole = typeof value === 'number' && Number.isInteger(value);
  if (isWhole && value >= min && value <= max) return;
  throw new UsageError(`${member} is ${quoted(String(value))}.`, {
    about: { member },
    hint: `Use a whole number from ${min} to ${max}.`,
  });
}

function expectTimezone(timezone: unknown, profile: Profile): void {
  if (profile === 'buyer') {
    throw new UsageError('timezone works with DSP reports only: buyer reports are in Paris time.', {
      about: { member: 'timezone' },
      hint: "Leave timezone out, or add profile: 'dsp'.",
    });
  }
  if (typeof timezone === 'string' && isZoneName(timezone)) return;
  throw new UsageError(`timezone is ${quoted(String(timezone))}, which is no time zone.`, {
    about: { member: 'timezone' },
    hint: 'Use a name of the TZ database, such as America/New_York.',
  });
}

function expectSignal(signal: unknown): void {
  if (signal instanceof AbortSignal) return;
  throw new UsageError('signal is not an AbortSignal.', { about: { member: 'signal' } });
}

function readProxyUrl(proxy: string | URL): URL {
  const text = String(proxy);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/') return url;
  // Not quoted, because it may contain a password.
  throw new UsageError('proxy is not an http or https URL that ends with its host and port.', {
    about: { member: 'proxy' },
    hint: 'For example: http://me:secret@127.0.0.1:3128',
  });
}

/** Throws `UsageError` for anything but a list of host names. */
function readHosts(hosts: unknown = []): readonly string[] {
  if (Array.isArray(hosts) && hosts.every((host) => typeof host === 'string')) return hosts;
  throw new UsageError('allowHttp is not a list of host names.', {
    about: { member: 'allowHttp' },
    hint: "For example: allowHttp: ['server']",
  });
}

const fetchNames = ['signal', 'onProgress', 'waitTimeoutMs', 'strict'];

/** Throws `UsageError` for an unknown or invalid option. */
export function readFetchOptions(call: string, options: FetchOptions = {}): FetchOptions {
  expectMembers(call, options, fetchNames);
  const { signal, waitTimeoutMs, onProgress, strict } = options;
  if (signal !== undefined) expectSignal(signal);
  if (waitTimeoutMs !== undefined) {
    expectNumber('waitTimeoutMs', waitTimeoutMs, { min: 0, max: maxTimeoutMs });
  }
  if (strict !== undefined && typeof strict !== 'boolean') {
    throw new UsageError(`strict is ${quoted(String(strict))}.`, {
      about: { member: 'strict' },
      hint: 'Use true or false.',
    });
  }
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw new UsageError('onProgress is not a function.', { about: { member: 'onProgress' } });
  }
  return options;
}

const reportNames = ['period', 'since', 'until', 'by', 'metrics', 'filters'];

/** Reads the report to request. Throws `UsageError` with all mistakes. */
export function readReport(
  call: string,
  options: ReportOptions,
  { profile, timezone, windowClock }: ReadSettings,
): Part {
  expectMembers(call, options, reportNames);
  const { period, since, until, by, metrics, filters = {} } = options;
  if (period !== undefined) expectTime('period', period, ['string']);
  for (const [member, time] of Object.entries({ since, until })) {
    if (time !== undefined) expectTime(member, time, ['string', 'number']);
  }
  if (typeof filters !== 'object' || filters === null) {
    throw new UsageError('filters is not an object.', {
      about: { member: 'filters' },
      hint: "For example: filters: { country: ['FR'] }",
    });
  }

  const nowMs = Date.now();
  const lists = Object.entries(filters).filter(([, values]) => values !== undefined);
  return inOptions(() => {
    const query = buildQuery(
      {
        timezone,
        period,
        since: since === undefined ? undefined : String(since),
        until: until === undefined ? undefined : String(until),
        by: by === undefined ? undefined : listOf('by', by),
        metrics: metrics === undefined ? undefined : listOf('metrics', metrics),
        filter: lists.map(([name, values]) => ({ name, values: filterValues(name, values) })),
      },
      // Rows have no format; csv has every metric, so that this client refuses computed ones itself.
      { profile, windowClock, stdoutFormat: 'csv', nowMs },
    );
    refuseNames(query);
    return wholePart(query, nowMs);
  });
}

function expectTime(member: string, value: unknown, types: readonly string[]): void {
  if (types.includes(typeof value)) return;
  throw new UsageError(`${member} is ${quoted(String(value))}.`, {
    about: { member },
    hint: `For example: ${member === 'period' ? "period: 'last-7d'" : `${member}: '2026-11-01'`}`,
  });
}

/** Options by the flags that they have on the command line. */
const optionsByFlag: readonly (readonly [flag: RegExp, option: string])[] = [
  [/--filter\b/g, 'filters'],
  [/--base-url\b/g, 'baseUrl'],
  [/--window-clock\b/g, 'windowClock'],
  [/--(period|since|until|by|metrics|profile|timezone|encoding)\b/g, '$1'],
];

/** Throws a `UsageError` of the command line in words of the library. */
function inOptions<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { about, mistakes, hint } = error;
    const isForLibrary = hint !== undefined && !/adreport |ADREPORT_/.test(hint);
    throw new UsageError(nameOptions(error.message), {
      ...(about && { about }),
      ...(mistakes && { mistakes }),
      hint: isForLibrary ? nameOptions(hint) : 'See the types of its options.',
    });
  }
}

function nameOptions(sentence: string): string {
  let named = sentence;
  for (const [flag, option] of optionsByFlag) named = named.replace(flag, option);
  return named;
}

function listOf(member: string, names: unknown): readonly string[] {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  throw new UsageError(`${member} is not a list of names.`, {
    about: { member },
    hint: `For example: ${member === 'by' ? "by: ['DAILY']" : "metrics: ['displays']"}`,
  });
}

function filterValues(name: string, values: unknown): string[] {
  if (Array.isArray(values) && values.length > 0) return values.map(String);
  throw new UsageError(`filters.${name} is not a list of values.`, {
    about: { member: `filters.${name}` },
    hint: `For example: filters: { ${name}: ['1234'] }`,
  });
}

/** Throws `UsageError` for names that only the command line resolves. */
function refuseNames({ breakdowns, metrics }: Query): void {
  if (breakdowns.includes('WEEKLY')) {
    throw new UsageError('WEEKLY needs one report per week, which this client does not make.', {
      about: { member: 'by', value: 'WEEKLY' },
      hint: "Use by: ['RANGE'] for each week, or by: ['DAILY'] and add up the days.",
    });
  }

  const computed = derivedMetrics.find(({ field }) => metrics.includes(field));
  if (!computed) return;
  const { field, numerator, denominator } = computed;
  throw new UsageError(`${field} is computed from ${numerator} and ${denominator}.`, {
    about: { member: 'metrics', value: field },
    hint: `Use metrics: ['${numerator}', '${denominator}'] and divide their sums.`,
  });
}
