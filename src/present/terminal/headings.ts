import { fieldLabel } from '../../contract/columns.ts';

/**
 * The heading of a row field or derived metric: `campaign name`, `revenue (€)`, `CTR`. Unknown
 * fields are unchanged.
 */
export function headingOf(field: string, unicode?: boolean): string {
  const label = fieldLabel(field);
  return label === field ? plainName(label, unicode) : headingOfLabel(label, unicode);
}

/** The heading for a label: `week`, `CTR`. */
export function headingOfLabel(label: string, unicode?: boolean): string {
  return plainName(label, unicode).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/** A name for a terminal that may only support ASCII. */
export function plainName(name: string, unicode = true): string {
  return unicode ? name : name.replace('€', 'EUR');
}
