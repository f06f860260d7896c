import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';

/** What a member of an object may be. */
export interface MemberCheck {
  /** What to give, as an error says it: `true or false`. */
  readonly takes: string;
  isRight(value: unknown): boolean;
}

/** How errors call the members of an object, and the code that they have. */
interface Wording {
  readonly member: string;
  readonly code?: string;
}

/**
 * Checks an object that code which is not type-checked may have made. Throws `UsageError` that
 * names a member that is wrong or not known, and what it takes; `undefined` counts as absent.
 */
export function checkMembers(
  object: unknown,
  checks: Readonly<Record<string, MemberCheck>>,
  { member, code = 'USAGE' }: Wording,
): void {
  const names = Object.keys(checks);
  if (typeof object !== 'object' || object === null) {
    const sentence = `${shown(object)} is not an object with ${names.join(', ')}.`;
    throw new UsageError(sentence, { code });
  }

  for (const [name, value] of Object.entries(object)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) {
      const guess = nearest(name, names);
      const advice = guess ? `did you mean ${guess}?` : `known are ${names.join(', ')}.`;
      throw new UsageError(`The ${member} ${quoted(name)} is not known: ${advice}`, { code });
    }

    if (value === undefined || check.isRight(value)) continue;
    throw new UsageError(`${name} cannot be ${shown(value)}: give ${check.takes}.`, { code });
  }
}

/** A value as an error shows it. */
function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

export const text: MemberCheck = {
  takes: 'a text that is not empty',
  isRight: (value) => typeof value === 'string' && value !== '',
};

export const trueOrFalse: MemberCheck = {
  takes: 'true or false',
  isRight: (value) => typeof value === 'boolean',
};

export const aFunction: MemberCheck = {
  takes: 'a function',
  isRight: (value) => typeof value === 'function',
};

export function oneOf(words: readonly string[]): MemberCheck {
  return {
    takes: words.join(' or '),
    isRight: (value) => typeof value === 'string' && words.includes(value),
  };
}

/** The ends of a range, both included. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
}

/** A whole number within a range; `unit` is what it counts. */
export function wholeNumberIn({ least, most }: NumberRange, unit = ''): MemberCheck {
  const number = unit === '' ? 'a whole number' : `a whole number of ${unit}`;
  const end = most === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${most}`;
  return {
    takes: `${number}, ${least} ${end}`,
    isRight: (value) => Number.isSafeInteger(value) && isWithin(Number(value), least, most),
  };
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
