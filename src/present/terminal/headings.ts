import { fieldLabel, fieldTypeOf } from '../../contract/columns.ts';

/**
 * Chooses the heading of a column: `campaign name`, `revenue (€)`, `week`, `CTR`. The name of an
 * unknown field, and a label that the user chose, are not changed.
 */
export function chooseHeading(field: string, label = fieldLabel(field)): string {
  const isUsual = label === fieldLabel(field) || fieldTypeOf(field) === 'date';
  if (!isUsual || label === field) return label;
  return label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
