import type { Group } from './grouping.ts';

/** A group for people, as texts of the report: neither is fit for a terminal yet. */
export interface GroupName {
  readonly name: string;

  /** What else is known of it, of a campaign its id; empty where there is nothing. */
  readonly detail: string;
}

/** What people read in place of a name that the service does not give, or that is blank. */
export const noName = '(unknown)';
const blankName = '(no name)';

/** A group's name, and beside it what else is known of it. */
export function nameOfGroup(fields: readonly string[], { key }: Pick<Group, 'key'>): GroupName {
  const isName = (field: string, i: number): boolean => isText(key[i]) && /name$/i.test(field);
  let nameIndex = fields.findIndex(isName);
  if (nameIndex < 0) nameIndex = key.findIndex(isText);
  if (nameIndex < 0) return { name: noName, detail: '' };

  const detail = key.find((value, i) => value && i !== nameIndex);
  return { name: nameText(key[nameIndex] ?? noName), detail: detail ?? '' };
}

/** A name as people read it. */
export function nameText(name: string): string {
  return name.trim() === '' ? blankName : name;
}

function isText(value: string | null | undefined): boolean {
  return typeof value === 'string';
}
