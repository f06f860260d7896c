import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import { usageError } from './usage-error.ts';

export interface MemberCheck {
  /** For errors: `true or false`. */
  readonly expected: string;
  isValid(value: unknown): boolean;
}

/**
 * Checks the members of an object from code that may not be type-checked. Throws `UsageError` that
 * names the first unknown or invalid member. `undefined` counts as absent.
 */
export function checkMembers(
  object: unknown,
  checks: Readonly<Record<string, MemberCheck>>,
  { noun, code = 'USAGE' }: { noun: string; code?: string },
): void {
  const names = Object.keys(checks);
  if (typeof object !== 'object' || object === null) {
    const sentence = `Expected an object with ${names.join(', ')}, not ${describe(object)}.`;
    throw new UsageError(sentence, { code });
  }

  for (const [name, value] of Object.entries(object)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) {
      const guess = nearest(name, names);
      const taken = guess === undefined ? '' : `, which takes ${checks[guess]?.expected}`;
      const advice = didYouMean(guess && `${guess}${taken}`, `Choose from ${names.join(', ')}.`);
      throw usageError(`Unknown ${noun} ${quoted(name)}.`, advice, { code });
    }

    if (value === undefined || check.isValid(value)) continue;
    throw new UsageError(`${name} cannot be ${describe(value)}: use ${check.expected}.`, { code });
  }
}

function describe(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

export const text: MemberCheck = {
  expected: 'a string that is not empty',
  isValid: (value) => typeof value === 'string' && value !== '',
};

export const booleanCheck: MemberCheck = {
  expected: 'true or false',
  isValid: (value) => typeof value === 'boolean',
};

export const functionCheck: MemberCheck = {
  expected: 'a function',
  isValid: (value) => typeof value === 'function',
};

export function wordCheck(words: readonly string[]): MemberCheck {
  return {
    expected: words.join(' or '),
    isValid: (value) => typeof value === 'string' && words.includes(value),
  };
}

/** Both ends are included. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
}

/** `unit` is used in errors: `milliseconds`. */
export function wholeNumberCheck({ least, most }: NumberRange, unit = ''): MemberCheck {
  const number = unit === '' ? 'a whole number' : `a whole number of ${unit}`;
  const end = most === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${most}`;
  return {
    expected: `${number}, ${least} ${end}`,
    isValid: (value) => Number.isSafeInteger(value) && isWithin(Number(value), least, most),
  };
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
