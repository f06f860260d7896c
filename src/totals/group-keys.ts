import { fieldTypeOf } from '../contract/columns.ts';
import { formatDay, parseDay } from '../contract/values.ts';
import { breakdowns } from '../contract/vocabulary.ts';
import { type KeyColumn, toKeyColumns } from '../query/file-columns.ts';
import { toText, type Value } from '../rows/row-batch.ts';

/**
 * Values of some fields, in field order: strings, the digits of numbers, or `null` for a missing
 * value or field.
 */
export type GroupKey = readonly (string | null)[];

/**
 * Period that a date represents. A week has the date of its Monday, a month or a whole period that
 * of its first day.
 */
export type DateUnit = 'day' | 'week' | 'month' | 'window';

export function isTimeField(field: string): boolean {
  return ['date', 'hour'].includes(fieldTypeOf(field) ?? '');
}

/** Finds the finest time field. */
export function findTimeField(fields: readonly string[]): string | undefined {
  return ['hour', 'date'].find((field) => fields.includes(field));
}

/** Returns the hour, or the date if there are no hours. */
export function findTimeKeys(fields: readonly string[]): KeyColumn[] {
  const field = findTimeField(fields);
  return field === undefined ? [] : [{ field }];
}

/** Returns every field that distinguishes rows: time first, then each breakdown. */
export function findRowKeys(fields: readonly string[]): KeyColumn[] {
  const keys = findTimeKeys(fields);
  for (const breakdown of breakdowns) {
    if (breakdown.time) continue;
    const names = breakdown.fields.map(({ name }) => name);
    keys.push(...toKeyColumns(names.filter((name) => fields.includes(name))));
  }
  return keys;
}

/** Formats a value of a key. `null` means no value. */
export function toKeyValue(value: Value | undefined): string | null {
  return value === null || value === undefined ? null : toText(value);
}

/** Formats a value of a key, or the first day of its week or month. */
export function toGroupValue({ unit }: KeyColumn, value: Value | undefined): string | null {
  const text = toKeyValue(value);
  if (unit === undefined || text === null) return text;
  if (unit === 'month') return `${text.slice(0, 7)}-01`;

  const day = parseDay(text.slice(0, 10));
  if (day === undefined) return text;
  // 1970-01-01 was a Thursday.
  const monday = Math.floor((day + 3) / 7) * 7 - 3;
  return formatDay(monday);
}

/** Returns the day of a date or hour, `2026-11-01`, or an empty string for any other value. */
export function readDay(value: Value | undefined): string {
  const isTimeText = typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value);
  return isTimeText ? value.slice(0, 10) : '';
}
