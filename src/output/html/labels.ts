import { metricOfField } from '../../contract/columns.ts';
import { type Breakdown, breakdowns } from '../../contract/vocabulary.ts';

/** What fields and breakdowns are called in a page, derived from the vocabulary. */

/** A row field for people: `revenueEuro` is `Revenue €`, `campaignId` is `Campaign ID`; an unknown one is itself. */
export function labelOf(field: string): string {
  const metric = metricOfField(field);
  if (metric) return wordsOf(metric.name);
  const breakdown = breakdownOf(field);
  if (!breakdown) return field;
  // `adminLevel1` says less than the REGION that it is.
  return wordsOf(/\d$/.test(field) ? breakdown.name.toLowerCase() : field);
}

/** The breakdown that a row field comes from. */
export function breakdownOf(field: string): Breakdown | undefined {
  return (breakdowns as readonly Breakdown[]).find(({ fields }) => fields.some(({ name }) => name === field));
}

/** The sign of the currency that a metric counts in; empty for one that counts no money. */
export function currencyOf(field: string): string {
  const metric = metricOfField(field);
  if (metric?.type !== 'money') return '';
  return metric.name.endsWith('Dollar') ? '$' : metric.name.endsWith('Euro') ? '€' : '';
}

/** A breakdown as a noun, from its meaning: `campaign`, `postal code`. */
export function nounOf({ meaning }: Breakdown): string {
  return meaning.replace(/^by (the )?/, '').replaceAll(/ \([^)]*\)/g, '');
}

function wordsOf(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z0-9])/g, '$1 $2')
    .toLowerCase()
    .replace(/^eyes /, 'eye ')
    .replace(/ euro$/, ' €')
    .replace(/ dollar$/, ' $')
    .replaceAll(/\b(id|os)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
