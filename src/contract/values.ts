/** What the values of a report mean: numbers, days, moments. Nothing is ever rounded, and nothing guessed. */

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * A DSP's money: the comma is its decimal mark. Three digits after the comma might be thousands, so that such a text is
 * no number, unless nothing but a zero stands before the comma.
 */
const commaPattern = /^-?(?:(?:0|[1-9]\d*),\d{1,2}|0,\d+)$/;

/**
 * The text of the number that a value is, or that a string such as `"1234,50"` holds, with a decimal point and every
 * digit that came; `undefined` where it is no number.
 */
export function numberTextOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (numberPattern.test(value)) return value;
  return commaPattern.test(value) ? value.replace(',', '.') : undefined;
}

/** A number as its sign, its digits without zeros at either end, and the power of ten that they are multiplied by. */
interface Decimal {
  readonly sign: string;
  /** Empty for zero. */
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(text: string): Decimal | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,9}))?$/.exec(text);
  if (!match) return undefined;

  const [, sign = '', integer = '', fraction = '', exponent = '0'] = match;
  const all = integer + fraction;
  let start = 0;
  let end = all.length;
  while (all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  return {
    sign,
    digits: all.slice(start, end),
    exponent: Number(exponent) - fraction.length + (all.length - end),
  };
}

function isSameNumber(one: Decimal, other: Decimal): boolean {
  if (one.digits === '' || other.digits === '') return one.digits === other.digits;
  return one.sign === other.sign && one.digits === other.digits && one.exponent === other.exponent;
}

/** A number's text as a double; `undefined` where that would be another number. */
export function exactDouble(text: string): number | undefined {
  const number = Number(text);
  // A double holds every decimal number of 15 digits, and gives them back.
  if (/^[-.\d]{1,15}$/.test(text) && !Number.isNaN(number)) return number;

  const asked = decimalOf(text);
  const held = decimalOf(String(number));
  return asked && held && isSameNumber(asked, held) ? number : undefined;
}

/** A number's text as an integer of 64 bits; `undefined` where it is none or does not fit. */
export function exactInteger(text: string): bigint | undefined {
  const decimal = decimalOf(text);
  if (!decimal) return undefined;
  const { sign, digits, exponent } = decimal;
  if (digits === '') return 0n;
  // An integer of 64 bits has 19 digits at most.
  if (exponent < 0 || digits.length + exponent > 20) return undefined;

  const integer = BigInt(sign + digits + '0'.repeat(exponent));
  return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

/** Days since 1970 of `YYYY-MM-DD`; `undefined` for any other text, and for a day that the calendar lacks. */
export function dayOf(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const ms = Date.parse(text);
  // Of 30 February some engines make 2 March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
    ? ms / 86_400_000
    : undefined;
}

/** Milliseconds since 1970 of `YYYY-MM-DD HH:MM:SS`, as if it were UTC; `undefined` for any other text. */
export function wallTimeOf(text: string): number | undefined {
  return /^[-\d]{10} [:\d]{8}$/.test(text)
    ? momentOf(`${text.replace(' ', 'T')}Z`)?.wallMs
    : undefined;
}

/**
 * The moment of an ISO 8601 date-time with an offset, `2026-10-25T02:00:00+0200`, and what the clocks of its zone showed,
 * as if it were UTC; `undefined` for any other text.
 */
export function momentOf(text: string): { instantMs: number; wallMs: number } | undefined {
  const form =
    /^(\d{4}-\d\d-\d\d)(T(?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d{1,3})?)?)(?:Z|([+-])(\d\d):?(\d\d))$/;
  const [, day = '', time = '', sign, hours = 0, minutes = 0] = form.exec(text) ?? [];
  const wallMs = dayOf(day) === undefined ? Number.NaN : Date.parse(`${day}${time}Z`);
  if (Number.isNaN(wallMs)) return undefined;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { instantMs: wallMs - (sign === '-' ? -offsetMs : offsetMs), wallMs };
}
