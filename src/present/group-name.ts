import type { GroupKey } from '../totals/group-keys.ts';

/** Shown in place of a name that is missing or blank. */
export const noName = '(unknown)';

/** Id fields by the name field to which they belong. */
const idFields = new Map([
  ['campaignName', 'campaignId'],
  ['adName', 'adId'],
]);

/** Returns the id for a row whose name in this field is blank; `undefined` for any other value. */
export function idWithoutName(field: string, get: (field: string) => unknown): string | undefined {
  const idField = idFields.get(field);
  if (idField === undefined || String(get(field) ?? '').trim() !== '') return undefined;
  const id = get(idField) ?? '';
  return id === '' ? undefined : String(id);
}

/**
 * Returns the value of the first name field. Without a name field, returns the first value. The
 * value is raw text of the report, which is not yet safe for a terminal.
 */
export function groupName(fields: readonly string[], key: GroupKey): string {
  const named = fields.findIndex((field) => /name$/i.test(field));
  const name = named < 0 ? key.find((text) => text !== null) : key[named];
  return displayName(name ?? '');
}

/** Replaces a blank name with a placeholder. */
export function displayName(name: string): string {
  return name.trim() === '' ? noName : name;
}
