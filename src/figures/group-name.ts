import type { Group } from './grouping.ts';

/** A group's name as raw text of the report, not yet made safe for a terminal. */
export interface GroupName {
  readonly name: string;

  /** Additional information, such as the id of a campaign; may be empty. */
  readonly detail: string;
}

/** Shown in place of a missing name. */
export const noName = '(unknown)';
const blankName = '(no name)';

/** The name of a group, and the value that identifies it further. */
export function nameOfGroup(fields: readonly string[], { key }: Pick<Group, 'key'>): GroupName {
  const isName = (field: string, i: number): boolean => isText(key[i]) && /name$/i.test(field);
  let nameIndex = fields.findIndex(isName);
  if (nameIndex < 0) nameIndex = key.findIndex(isText);
  if (nameIndex < 0) return { name: noName, detail: '' };

  const detail = key.find((value, i) => value && i !== nameIndex);
  return { name: nameText(key[nameIndex] ?? noName), detail: detail ?? '' };
}

/** A name for display. */
export function nameText(name: string): string {
  return name.trim() === '' ? blankName : name;
}

function isText(value: string | null | undefined): boolean {
  return typeof value === 'string';
}
