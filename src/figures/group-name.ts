import type { Group } from './grouping.ts';

/** A group for people, as texts of the report: neither is fit for a terminal yet. */
export interface GroupName {
  readonly name: string;

  /** What else is known of it, of a campaign its id; empty where there is nothing. */
  readonly detail: string;
}

/** What people read in place of a name that the service does not give. */
export const noName = '(unknown)';

/** A group's name, and beside it what else is known of it. */
export function nameOfGroup(fields: readonly string[], { key }: Pick<Group, 'key'>): GroupName {
  let nameIndex = fields.findIndex((field, i) => key[i] && /name$/i.test(field));
  if (nameIndex < 0) nameIndex = key.findIndex((value) => value);
  if (nameIndex < 0) return { name: noName, detail: '' };

  const detail = key.find((value, i) => value && i !== nameIndex);
  return { name: key[nameIndex] ?? noName, detail: detail ?? '' };
}
