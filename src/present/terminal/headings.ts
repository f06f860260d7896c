import { fieldLabel } from '../../contract/columns.ts';

/** Returns `campaign name`, `revenue (€)`, `CTR`. Unknown fields are unchanged. */
export function headingOf(field: string, unicode?: boolean): string {
  const label = fieldLabel(field);
  return label === field ? plainName(label, unicode) : headingOfLabel(label, unicode);
}

/** Returns `week`, `CTR`. */
export function headingOfLabel(label: string, unicode?: boolean): string {
  return plainName(label, unicode).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/** Replaces `€` for a terminal that only supports ASCII. */
export function plainName(name: string, unicode = true): string {
  return unicode ? name : name.replace('€', 'EUR');
}
