import type { GroupKey } from '../totals/group-keys.ts';

/** Shown instead of a missing or blank name. */
export const unnamedLabel = '(unknown)';

const idFields = new Map([
  ['campaignName', 'campaignId'],
  ['adName', 'adId'],
]);

/** Returns the ID of a row whose name is blank, or `undefined` for any other row. */
export function idIfUnnamed(field: string, get: (field: string) => unknown): string | undefined {
  const idField = idFields.get(field);
  if (idField === undefined || String(get(field) ?? '').trim() !== '') return undefined;
  const id = get(idField) ?? '';
  return id === '' ? undefined : String(id);
}

/**
 * Names a group by its first name field, or by its first value if it has no name field. Control
 * characters are kept, so the name is not yet safe for a terminal.
 */
export function formatGroupName(fields: readonly string[], key: GroupKey): string {
  const nameIndex = fields.findIndex((field) => /name$/i.test(field));
  const name = nameIndex < 0 ? key.find((value) => value !== null) : key[nameIndex];
  return formatName(name ?? '');
}

/** Replaces a blank name with `unnamedLabel`. */
export function formatName(name: string): string {
  return name.trim() === '' ? unnamedLabel : name;
}
