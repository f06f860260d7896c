import { fieldLabel, fieldTypeOf } from '../../contract/columns.ts';

/**
 * Returns the heading of a column: `campaign name`, `revenue (€)`, `week`, `CTR`. An unknown field
 * is its own heading. A label that the user chose is not changed.
 */
export function chooseHeading(field: string, label = fieldLabel(field)): string {
  const isUsual = label === fieldLabel(field) || fieldTypeOf(field) === 'date';
  if (!isUsual || label === field) return label;
  return label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
