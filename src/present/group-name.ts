import type { GroupKey } from '../totals/group-keys.ts';

/** Shown in place of a missing or blank name. */
export const noName = '(unknown)';

/** Fields of ids, by the field of the name. */
const idFields = new Map([
  ['campaignName', 'campaignId'],
  ['adName', 'adId'],
]);

/** Returns the id that belongs to a blank name in this field; `undefined` for any other value. */
export function idWithoutName(field: string, get: (field: string) => unknown): string | undefined {
  const idField = idFields.get(field);
  if (idField === undefined || String(get(field) ?? '').trim() !== '') return undefined;
  const id = get(idField) ?? '';
  return id === '' ? undefined : String(id);
}

/**
 * Returns the value of the first name field, or else the first value. It is raw text of the report,
 * not yet made safe for a terminal.
 */
export function groupName(fields: readonly string[], key: GroupKey): string {
  const named = fields.findIndex((field) => /name$/i.test(field));
  const name = named < 0 ? key.find((text) => text !== null) : key[named];
  return displayName(name ?? '');
}

/** Replaces a blank name. */
export function displayName(name: string): string {
  return name.trim() === '' ? noName : name;
}
