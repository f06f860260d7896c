import { windowClocks } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { parseDuration } from '../text/quantity.ts';
import {
  booleanCheck,
  checkMembers,
  type MemberCheck,
  type NumberRange,
  text,
  wholeNumberCheck,
  wordCheck,
} from './check-members.ts';
import { parseClockTime } from './clock.ts';
import type { LocalServerOptions, LoggedRequest } from './public-types.ts';

/** Options with durations as numbers, and what the program itself adds. */
export interface ServerOptions
  extends Omit<LocalServerOptions, 'delay' | 'tokenTtl' | 'reportTtl'> {
  /** Milliseconds since 1970, for the server's clock to follow. Default: `Date.now`. */
  readonly clock?: () => number;

  /** Called at the end of every call of the service. */
  readonly onRequest?: (request: LoggedRequest) => void;
}

const fromNone: NumberRange = { least: 0, most: 999_999 };
const fromOne: NumberRange = { least: 1, most: 999_999 };

/** Ranges of the numeric options, for flags and `startLocalServer` alike. */
export const optionRanges = {
  port: { least: 0, most: 65_535 },
  seed: fromNone,
  scale: fromOne,
  polls: fromOne,
  restate: fromNone,
  rateLimit: fromOne,
} as const satisfies { readonly [Name in keyof LocalServerOptions]: NumberRange };

const milliseconds = wholeNumberCheck({ least: 0, most: Number.MAX_SAFE_INTEGER }, 'milliseconds');

const duration: MemberCheck = {
  expected: 'a number with a unit, such as 500ms, 2s or 2h',
  isValid: (value) => typeof value === 'string' && parseDuration(value) !== undefined,
};

const clockTime: MemberCheck = {
  expected: 'milliseconds since 1970, or a string such as 2026-11-01T09:00:00Z',
  isValid: (value) =>
    (typeof value === 'string' || typeof value === 'number') && parseClockTime(value) !== undefined,
};

const faultTexts: MemberCheck = {
  expected: 'a list of strings such as status:503:times=3',
  isValid: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};

const optionChecks: Readonly<Record<keyof LocalServerOptions, MemberCheck>> = {
  host: text,
  port: wholeNumberCheck(optionRanges.port),
  fixtures: text,
  seed: wholeNumberCheck(optionRanges.seed),
  scale: wholeNumberCheck(optionRanges.scale),
  delay: duration,
  delayMs: milliseconds,
  polls: wholeNumberCheck(optionRanges.polls),
  manual: booleanCheck,
  tokenTtl: duration,
  tokenTtlMs: milliseconds,
  reportTtl: duration,
  reportTtlMs: milliseconds,
  restate: wholeNumberCheck(optionRanges.restate),
  rateLimit: wholeNumberCheck(optionRanges.rateLimit),
  windowClock: wordCheck(windowClocks),
  faults: faultTexts,
  now: clockTime,
};

/** Reads the options of a program. Throws `UsageError` for invalid or unknown ones. */
export function readOptions(options: LocalServerOptions): ServerOptions {
  checkMembers(options, optionChecks, { noun: 'option' });

  const { delay, tokenTtl, reportTtl, ...others } = options;
  refuseSeveral({ delay, delayMs: options.delayMs, polls: options.polls, manual: options.manual });
  refuseSeveral({ tokenTtl, tokenTtlMs: options.tokenTtlMs });
  refuseSeveral({ reportTtl, reportTtlMs: options.reportTtlMs });
  return {
    ...others,
    ...(delay !== undefined && { delayMs: parseDuration(delay) }),
    ...(tokenTtl !== undefined && { tokenTtlMs: parseDuration(tokenTtl) }),
    ...(reportTtl !== undefined && { reportTtlMs: parseDuration(reportTtl) }),
  };
}

function refuseSeveral(options: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(options).filter(
    ([, value]) => value !== undefined && value !== false,
  );
  if (given.length <= 1) return;

  const names = given.map(([name]) => name).join(' and ');
  throw new UsageError(`Cannot combine ${names}: use one of them.`);
}
