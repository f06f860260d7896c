import type { Group } from '../totals/grouped-totals.ts';

/** Shown in place of a missing or blank name. */
export const noName = '(unknown)';

/** Field of the id, by field of the name. */
const idFields = new Map([
  ['campaignName', 'campaignId'],
  ['adName', 'adId'],
]);

/**
 * Returns the id of something whose name, in this field, is blank; `undefined` for any other value.
 */
export function idWithoutName(field: string, get: (field: string) => unknown): string | undefined {
  const idField = idFields.get(field);
  if (idField === undefined || String(get(field) ?? '').trim() !== '') return undefined;
  const id = get(idField) ?? '';
  return id === '' ? undefined : String(id);
}

/**
 * Uses the first name field, or else the first text. The detail is another value of the key, such
 * as the id of a campaign; it may be empty. Both are raw text of the report, not yet made safe for
 * a terminal.
 */
export function groupName(
  fields: readonly string[],
  { key }: Pick<Group, 'key'>,
): { readonly name: string; readonly detail: string } {
  const named = fields.findIndex((field) => /name$/i.test(field));
  const nameIndex = named < 0 ? key.findIndex(isText) : named;
  const detail = key.find((value, i) => value && i !== nameIndex);
  return { name: nameText(key[nameIndex] ?? ''), detail: detail ?? '' };
}

/** Replaces a blank name. */
export function nameText(name: string): string {
  return name.trim() === '' ? noName : name;
}

function isText(value: string | null | undefined): boolean {
  return typeof value === 'string';
}
