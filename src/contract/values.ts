/** Parses the values of a report: numbers, days and times, without rounding or guessing. */

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Matches a DSP's money, which has a decimal comma. Rejects `1,234`, in which the comma might
 * separate thousands, but not `0,123`.
 */
const commaPattern = /^-?(?:(?:0|[1-9]\d*),\d{1,2}|0,\d+)$/;

/**
 * Normalizes a number, or a string such as `"1234,50"`, to a string with a decimal point and all
 * digits. Accepts surrounding spaces, a plus sign, leading zeros, and a point without a digit
 * before it (`.5`). Returns `undefined` for any other value.
 */
export function toDecimalString(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  return toPlainNumber(value) ?? toPlainNumber(normalizeNumber(value));
}

function toPlainNumber(text: string): string | undefined {
  if (numberPattern.test(text)) return text;
  return commaPattern.test(text) ? text.replace(',', '.') : undefined;
}

function normalizeNumber(text: string): string {
  return text
    .trim()
    .replace(/^\+(?=[\d.,])/, '')
    .replace(/^(-?)(?=[.,]\d)/, '$10')
    .replace(/^(-?)0+(?=\d)/, '$1')
    .replace(/(?<=\d)\.$/, '');
}

/** Matches strings that mean “no value”. */
const missingPattern = /^(?:--?|n\/a|nan|null|\\n)?$/i;

/** Recognizes null, an empty string, `-`, `--`, `N/A`, `NaN`. */
export function isMissingValue(value: unknown): boolean {
  if (typeof value === 'string') return missingPattern.test(value.trim());
  return value === null || value === undefined;
}

/**
 * Parses `YYYY-MM-DD` into days since 1970. Returns `undefined` for other strings and impossible
 * dates.
 */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const ms = Date.parse(text);
  // Some engines turn 30 February into 2 March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
    ? ms / 86_400_000
    : undefined;
}

/** Formats days since 1970 as `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

/** Parses `YYYY-MM-DD HH:MM:SS` as if it were UTC, into milliseconds since 1970. */
export function parseWallTime(text: string): number | undefined {
  return /^[-\d]{10} [:\d]{8}$/.test(text)
    ? parseTimestamp(`${text.replace(' ', 'T')}Z`)?.wallMs
    : undefined;
}

/**
 * Parses an ISO 8601 date-time with an offset, such as `2026-10-25T02:00:00+0200`. Returns the
 * instant, and the wall time as if it were UTC. Returns `undefined` for any other string.
 */
export function parseTimestamp(text: string): { instantMs: number; wallMs: number } | undefined {
  const pattern =
    /^(\d{4}-\d\d-\d\d)(T(?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d{1,3})?)?)(?:Z|([+-])(\d\d):?(\d\d))$/;
  const [, day = '', time = '', sign, hours = 0, minutes = 0] = pattern.exec(text) ?? [];
  const wallMs = parseDay(day) === undefined ? Number.NaN : Date.parse(`${day}${time}Z`);
  if (Number.isNaN(wallMs)) return undefined;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { instantMs: wallMs - (sign === '-' ? -offsetMs : offsetMs), wallMs };
}

export interface ParsedTime {
  /** Wall time as if it were UTC, in milliseconds since 1970. A day is its midnight. */
  readonly wallMs: number;

  /** Milliseconds since 1970. Only set for times with an offset. */
  readonly instantMs?: number;

  /** Whether the string is a day without a time. */
  readonly isDay: boolean;
}

const timePattern =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)? ?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * Parses a day, optionally with a time after a `T` or a space. The time may lack seconds. A
 * fraction of a second is dropped. An offset (`Z`, `+0100`, `+01:00` or `+01`) is optional. Returns
 * `undefined` for any other string.
 */
export function readTime(text: string): ParsedTime | undefined {
  const day = parseDay(text);
  if (day !== undefined) return { wallMs: day * 86_400_000, isDay: true };

  const [, date, time, offset] = timePattern.exec(text) ?? [];
  const fullOffset = offset?.length === 3 ? `${offset}00` : offset?.toUpperCase();
  const timestamp = parseTimestamp(`${date}T${time}${fullOffset ?? 'Z'}`);
  if (!timestamp) return undefined;
  if (offset === undefined) return { wallMs: timestamp.wallMs, isDay: false };
  return { ...timestamp, isDay: false };
}
