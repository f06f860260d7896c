import { reportStatuses, windowClocks } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import {
  aFunction,
  checkMembers,
  type MemberCheck,
  type NumberRange,
  oneOf,
  text,
  trueOrFalse,
  wholeNumberIn,
} from './check-members.ts';
import { readClockTime } from './clock.ts';
import type { ClockSetting, LocalServerOptions, ReportChange } from './local-server.ts';

/** What is kept of the message of a report that a test sets. */
export const messageLengthAtMost = 1_000;

const fromNone: NumberRange = { least: 0, most: 999_999 };
const fromOne: NumberRange = { least: 1, most: 999_999 };

/** The ranges of the options that are numbers, which flags and `startLocalServer` take alike. */
export const optionRanges = {
  port: { least: 0, most: 65_535 },
  seed: fromNone,
  scale: fromOne,
  polls: fromOne,
  restateDays: fromNone,
  rateLimitPerSecond: fromOne,
} as const satisfies { readonly [Name in keyof LocalServerOptions]: NumberRange };

const duration = wholeNumberIn({ least: 0, most: Number.MAX_SAFE_INTEGER }, 'milliseconds');

const clockTime: MemberCheck = {
  takes: 'milliseconds since 1970, or a text such as 2026-11-01T09:00:00Z',
  isRight(value) {
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
  takes: 'cert and key as PEM texts',
  isRight: (value) =>
    typeof value === 'object' &&
    value !== null &&
    ['cert', 'key'].every(
      (name) => typeof Object.entries(value).find(([key]) => key === name)?.[1] === 'string',
    ),
};

const faultTexts: MemberCheck = {
  takes: 'a list of texts such as status:503:times=3',
  isRight: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};

const optionChecks: Readonly<Record<keyof LocalServerOptions, MemberCheck>> = {
  host: text,
  port: wholeNumberIn(optionRanges.port),
  fixtures: text,
  seed: wholeNumberIn(optionRanges.seed),
  scale: wholeNumberIn(optionRanges.scale),
  delayMs: duration,
  polls: wholeNumberIn(optionRanges.polls),
  manual: trueOrFalse,
  tokenTtlMs: duration,
  reportTtlMs: duration,
  restateDays: wholeNumberIn(optionRanges.restateDays),
  rateLimitPerSecond: wholeNumberIn(optionRanges.rateLimitPerSecond),
  lenient: trueOrFalse,
  windowClock: oneOf(windowClocks),
  tls: certificate,
  faults: faultTexts,
  clock: aFunction,
  now: clockTime,
  onRequest: aFunction,
  onFactsRead: aFunction,
};

/** Throws `UsageError` for options that cannot be, and for names that are not options. */
export function checkOptions(options: LocalServerOptions): void {
  checkMembers(options, optionChecks, { member: 'option' });

  const { delayMs, polls, manual } = options;
  const paces = [delayMs !== undefined, polls !== undefined, manual === true];
  if (paces.filter(Boolean).length > 1) {
    throw new UsageError(
      'delayMs, polls and manual exclude each other: each says how long a report takes.',
    );
  }
}

/** Throws `UsageError` for what is not the setting of a clock. */
export function checkClockSetting(setting: ClockSetting): void {
  checkMembers(setting, { now: anyTime, frozen: trueOrFalse }, { member: 'member' });
}

/** Whether a text or a number is a time is for the clock to say. */
const anyTime: MemberCheck = {
  takes: clockTime.takes,
  isRight: (value) => typeof value === 'string' || typeof value === 'number',
};

const message: MemberCheck = {
  takes: `a text of at most ${messageLengthAtMost} characters`,
  isRight: (value) => typeof value === 'string' && value.length <= messageLengthAtMost,
};

/** Throws `UsageError` for what is not a change of a report. */
export function checkReportChange(change: ReportChange): void {
  const status = oneOf(reportStatuses);
  checkMembers(change, { status, message }, { member: 'member' });
  if (change.status === undefined) throw new UsageError(`status is missing: give ${status.takes}.`);
}
