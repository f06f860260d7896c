import { reportStatuses, windowClocks } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import {
  booleanCheck,
  checkMembers,
  functionCheck,
  type MemberCheck,
  type NumberRange,
  text,
  wholeNumberCheck,
  wordCheck,
} from './check-members.ts';
import { readClockTime } from './clock.ts';
import type { ClockSetting, LocalServerOptions, ReportChange } from './public-types.ts';

const maxMessageLength = 1_000;

const fromNone: NumberRange = { least: 0, most: 999_999 };
const fromOne: NumberRange = { least: 1, most: 999_999 };

/** Ranges of the numeric options, for flags and `startLocalServer` alike. */
export const optionRanges = {
  port: { least: 0, most: 65_535 },
  seed: fromNone,
  scale: fromOne,
  polls: fromOne,
  restateDays: fromNone,
  rateLimitPerSecond: fromOne,
} as const satisfies { readonly [Name in keyof LocalServerOptions]: NumberRange };

const duration = wholeNumberCheck({ least: 0, most: Number.MAX_SAFE_INTEGER }, 'milliseconds');

const clockTime: MemberCheck = {
  expected: 'milliseconds since 1970, or a string such as 2026-11-01T09:00:00Z',
  isValid(value) {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    try {
      readClockTime(value);
      return true;
    } catch {
      return false;
    }
  },
};

const certificate: MemberCheck = {
  expected: 'an object with cert and key as PEM text',
  isValid: (value) =>
    typeof value === 'object' &&
    value !== null &&
    ['cert', 'key'].every(
      (name) => typeof Object.entries(value).find(([key]) => key === name)?.[1] === 'string',
    ),
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
  delayMs: duration,
  polls: wholeNumberCheck(optionRanges.polls),
  manual: booleanCheck,
  tokenTtlMs: duration,
  reportTtlMs: duration,
  restateDays: wholeNumberCheck(optionRanges.restateDays),
  rateLimitPerSecond: wholeNumberCheck(optionRanges.rateLimitPerSecond),
  lenient: booleanCheck,
  windowClock: wordCheck(windowClocks),
  tls: certificate,
  faults: faultTexts,
  clock: functionCheck,
  now: clockTime,
  onRequest: functionCheck,
};

/** Throws `UsageError` for invalid or unknown options. */
export function checkOptions(options: LocalServerOptions): void {
  checkMembers(options, optionChecks, { noun: 'option' });

  const { delayMs, polls, manual } = options;
  const paces = [delayMs !== undefined, polls !== undefined, manual === true];
  if (paces.filter(Boolean).length > 1) {
    throw new UsageError(
      'Cannot combine delayMs, polls and manual: each one sets how long a report takes.',
    );
  }
}

/** Throws `UsageError` for an invalid setting. */
export function checkClockSetting(setting: ClockSetting): void {
  checkMembers(setting, { now: anyTime, frozen: booleanCheck }, { noun: 'member' });
}

/** The clock itself checks that it is a time. */
const anyTime: MemberCheck = {
  expected: clockTime.expected,
  isValid: (value) => typeof value === 'string' || typeof value === 'number',
};

const message: MemberCheck = {
  expected: `a string of at most ${maxMessageLength} characters`,
  isValid: (value) => typeof value === 'string' && value.length <= maxMessageLength,
};

/** Throws `UsageError` for an invalid change. */
export function checkReportChange(change: ReportChange): void {
  const status = wordCheck(reportStatuses);
  checkMembers(change, { status, message }, { noun: 'member' });
  if (change.status === undefined)
    throw new UsageError(`status is missing: use ${status.expected}.`);
}
