import { fieldLabel, fieldTypeOf } from '../../contract/columns.ts';

/**
 * Returns the heading of a column: `campaign name`, `revenue (€)`, `week`, `CTR`. Unknown fields
 * are unchanged, and so is a label that the user chose.
 */
export function chooseHeading(field: string, unicode = true, label = fieldLabel(field)): string {
  const isUsual = label === fieldLabel(field) || fieldTypeOf(field) === 'date';
  const heading =
    isUsual && label !== field
      ? label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
      : label;
  return unicode ? heading : heading.replace('€', 'EUR');
}
