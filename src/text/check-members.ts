import { didYouMean, findNearest } from './nearest.ts';
import { quoted } from './printable.ts';

/** Check of a property of an object that may come from untyped code. */
export interface MemberCheck {
  /** Names the valid values in errors: `true or false`. */
  readonly expected: string;
  isValid(value: unknown): boolean;

  /** Keeps the value out of errors. */
  readonly isSecret?: true;
}

export interface MemberIssue {
  readonly message: string;
  readonly hint?: string;
}

/**
 * Finds the first unknown or invalid property of an object. A property with the value `undefined`
 * counts as missing.
 *
 * @param noun word for a property in messages: `option`
 */
export function findIssue(
  object: unknown,
  checks: Readonly<Record<string, MemberCheck>>,
  noun: string,
): MemberIssue | undefined {
  const names = Object.keys(checks);
  if (typeof object !== 'object' || object === null) {
    return {
      message: `Expected an object with ${names.join(', ')}, not ${describeValue(object)}.`,
    };
  }

  for (const [name, value] of Object.entries(object)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) return unknownMemberIssue(name, checks, noun);
    if (value === undefined || check.isValid(value)) continue;
    const shownValue = check.isSecret ? 'this value' : describeValue(value);
    return { message: `${name} cannot be ${shownValue}: use ${check.expected}.` };
  }
  return undefined;
}

function unknownMemberIssue(
  name: string,
  checks: Readonly<Record<string, MemberCheck>>,
  noun: string,
): MemberIssue {
  const names = Object.keys(checks);
  const guess = findNearest(name, names);
  const advice = guess && `${guess}, which takes ${checks[guess]?.expected}`;
  return {
    message: `Unknown ${noun} ${quoted(name)}.`,
    hint: didYouMean(advice, `Choose from ${names.join(', ')}.`),
  };
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

export const stringCheck: MemberCheck = {
  expected: 'a string that is not empty',
  isValid: (value) => typeof value === 'string' && value.trim() !== '',
};

export const booleanCheck: MemberCheck = {
  expected: 'true or false',
  isValid: (value) => typeof value === 'boolean',
};

export const functionCheck: MemberCheck = {
  expected: 'a function',
  isValid: (value) => typeof value === 'function',
};

export function choiceCheck(choices: readonly string[]): MemberCheck {
  return {
    expected: choices.join(' or '),
    isValid: (value) => typeof value === 'string' && choices.includes(value),
  };
}

/** @param example shown in errors: `status:503:times=3` */
export function listCheck(example: string): MemberCheck {
  return {
    expected: `a list of strings such as ${example}`,
    isValid: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  };
}

/** A range of whole numbers that includes both ends. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/** @param unit shown in errors: `milliseconds` */
export function wholeNumberCheck({ min, max }: NumberRange, unit = ''): MemberCheck {
  const number = unit === '' ? 'a whole number' : `a whole number of ${unit}`;
  const end = max === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${max}`;
  return {
    expected: `${number}, ${min} ${end}`,
    isValid: (value) => {
      const isWhole = typeof value === 'number' && Number.isSafeInteger(value);
      return isWhole && value >= min && value <= max;
    },
  };
}
