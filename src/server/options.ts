import { windowClocks } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import {
  booleanCheck,
  choiceCheck,
  listCheck,
  type MemberCheck,
  type NumberRange,
  stringCheck,
  wholeNumberCheck,
} from '../text/check-members.ts';
import { joinWords, parseDuration } from '../text/quantity.ts';
import { parseClockTime } from './clock.ts';
import type { LocalServerOptions, LoggedRequest } from './public-types.ts';
import { requireMembers } from './usage-error.ts';

/** Options with times as numbers, and two that only this program sets. */
export interface ServerOptions
  extends Omit<LocalServerOptions, 'delay' | 'delayMs' | 'tokenTtl' | 'reportTtl' | 'now'> {
  readonly delayMs?: number | undefined;
  readonly tokenTtlMs?: number | undefined;
  readonly reportTtlMs?: number | undefined;

  /** Start of the clock, in milliseconds since 1970. */
  readonly now?: number | undefined;

  /** Clock for the server to follow, in milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: () => number;

  /** Called at the end of every call of the service. */
  readonly onRequest?: (request: LoggedRequest) => void;
}

const zeroOrMore: NumberRange = { min: 0, max: 999_999 };
const oneOrMore: NumberRange = { min: 1, max: 999_999 };

/** Ranges of the numeric options, for flags and `startLocalServer` alike. */
export const optionRanges = {
  port: { min: 0, max: 65_535 },
  seed: zeroOrMore,
  scale: oneOrMore,
  polls: oneOrMore,
  restate: zeroOrMore,
  rateLimit: oneOrMore,
} as const satisfies { readonly [Name in keyof LocalServerOptions]: NumberRange };

const milliseconds = wholeNumberCheck({ min: 0, max: Number.MAX_SAFE_INTEGER }, 'milliseconds');

const duration: MemberCheck = {
  expected: 'a number with a unit, such as 500ms, 2s or 2h',
  isValid: (value) => typeof value === 'string' && parseDuration(value) !== undefined,
};

const clockTime: MemberCheck = {
  expected: 'milliseconds since 1970, or a string such as 2026-11-01T09:00:00Z',
  isValid: (value) =>
    (typeof value === 'string' || typeof value === 'number') && parseClockTime(value) !== undefined,
};

const optionChecks: Readonly<Record<keyof LocalServerOptions, MemberCheck>> = {
  host: stringCheck,
  port: wholeNumberCheck(optionRanges.port),
  fixtures: stringCheck,
  seed: wholeNumberCheck(optionRanges.seed),
  scale: wholeNumberCheck(optionRanges.scale),
  delay: duration,
  delayMs: milliseconds,
  polls: wholeNumberCheck(optionRanges.polls),
  manual: booleanCheck,
  tokenTtl: duration,
  reportTtl: duration,
  restate: wholeNumberCheck(optionRanges.restate),
  rateLimit: wholeNumberCheck(optionRanges.rateLimit),
  windowClock: choiceCheck(windowClocks),
  faults: listCheck('status:503:times=3'),
  now: clockTime,
};

/** Checks options and converts times to numbers. Throws `UsageError` for an invalid option. */
export function readOptions(options: LocalServerOptions): ServerOptions {
  requireMembers(options, optionChecks, { noun: 'option' });

  const { delay, delayMs, tokenTtl, reportTtl, now, ...others } = options;
  const { polls, manual } = options;
  const readyOptions = Object.entries({ delay, delayMs, polls, manual: manual || undefined });
  const chosenNames = readyOptions.flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (chosenNames.length > 1) {
    const [first, ...others] = chosenNames;
    throw new UsageError(`${first} cannot be used with ${joinWords(others)}: remove one of them.`);
  }
  return {
    ...others,
    delayMs: delayMs ?? readDuration(delay),
    tokenTtlMs: readDuration(tokenTtl),
    reportTtlMs: readDuration(reportTtl),
    now: now === undefined ? undefined : parseClockTime(now),
  };
}

function readDuration(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}
