import { fieldLabel } from '../../contract/columns.ts';

/** The heading of a row field or derived metric: `campaign name`, `revenue (€)`, `CTR`; an unknown field is itself. */
export function headingOf(field: string, unicode?: boolean): string {
  const label = plainName(fieldLabel(field), unicode);
  if (label === field) return label;
  return label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/** A name for a terminal that may show ASCII alone. */
export function plainName(name: string, unicode = true): string {
  return unicode ? name : name.replace('€', 'EUR');
}
