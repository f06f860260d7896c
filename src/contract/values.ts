/**
 * What the values of a report mean: numbers, days, moments. Nothing is ever rounded, and nothing
 * guessed.
 */

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * A DSP's money: the comma is its decimal mark. Three digits after the comma might be thousands, so
 * that such a text is no number, unless nothing but a zero stands before the comma.
 */
const commaPattern = /^-?(?:(?:0|[1-9]\d*),\d{1,2}|0,\d+)$/;

/**
 * The text of the number that a value is, or that a string such as `"1234,50"` holds, with a
 * decimal point and every digit that came; `undefined` where it is no number. Blanks round it, a
 * plus, zeros before it and a decimal mark without digits on one side (`.5`) are left out or added.
 */
export function numberTextOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  return plainNumberOf(value) ?? plainNumberOf(usualFormOf(value));
}

function plainNumberOf(text: string): string | undefined {
  if (numberPattern.test(text)) return text;
  return commaPattern.test(text) ? text.replace(',', '.') : undefined;
}

function usualFormOf(text: string): string {
  return text
    .trim()
    .replace(/^\+(?=[\d.,])/, '')
    .replace(/^(-?)(?=[.,]\d)/, '$10')
    .replace(/^(-?)0+(?=\d)/, '$1')
    .replace(/(?<=\d)\.$/, '');
}

/** What stands in the place of a number where there is none. */
const nothingForm = /^\s*(?:-|n\/a|nan|null|\\n)?\s*$/i;

/** Whether a value says no more than that there is none: null, an empty text, `-`, `N/A`, `NaN`. */
export function isNoValue(value: unknown): boolean {
  if (typeof value === 'string') return nothingForm.test(value);
  return value === null || value === undefined;
}

/**
 * Days since 1970 of `YYYY-MM-DD`; `undefined` for any other text, and for a day that the calendar
 * lacks.
 */
export function dayOf(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const ms = Date.parse(text);
  // Of 30 February some engines make 2 March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
    ? ms / 86_400_000
    : undefined;
}

/** The day of that number, counted from 1970, as `YYYY-MM-DD`. */
export function dayText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

/**
 * Milliseconds since 1970 of `YYYY-MM-DD HH:MM:SS`, as if it were UTC; `undefined` for any other
 * text.
 */
export function wallTimeOf(text: string): number | undefined {
  return /^[-\d]{10} [:\d]{8}$/.test(text)
    ? momentOf(`${text.replace(' ', 'T')}Z`)?.wallMs
    : undefined;
}

/**
 * The moment of an ISO 8601 date-time with an offset, `2026-10-25T02:00:00+0200`, and what the
 * clocks of its zone showed, as if it were UTC; `undefined` for any other text.
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

/** A time as a service may write it. */
export interface WrittenTime {
  /**
   * What the clocks showed, in milliseconds since 1970, as if it were UTC; of a day its midnight.
   */
  readonly wallMs: number;

  /** Milliseconds since 1970; absent where the text tells no offset. */
  readonly instantMs?: number;

  /** Whether it is a day without a time. */
  readonly isDay: boolean;
}

const timeForm =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)? ?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * A day, or a day and a time with a `T` or a blank between them, with or without seconds, a
 * fraction of one, which is dropped, and an offset, `Z`, `+0100`, `+01:00` or `+01`; `undefined`
 * for any other text.
 */
export function readTime(text: string): WrittenTime | undefined {
  const day = dayOf(text);
  if (day !== undefined) return { wallMs: day * 86_400_000, isDay: true };

  const [, date, time, offset] = timeForm.exec(text) ?? [];
  const wholeOffset = offset?.length === 3 ? `${offset}00` : offset?.toUpperCase();
  const moment = momentOf(`${date}T${time}${wholeOffset ?? 'Z'}`);
  if (!moment) return undefined;
  if (offset === undefined) return { wallMs: moment.wallMs, isDay: false };
  return { ...moment, isDay: false };
}
