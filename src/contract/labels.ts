import { metricOfField } from './columns.ts';
import { type DerivedMetric, derivedMetrics } from './derived.ts';
import { type Breakdown, breakdowns, metrics } from './vocabulary.ts';

/** What fields and breakdowns are called in sheets and pages, derived from the vocabulary. */

/** The fields of campaigns and ad units that no report has. */
const campaignFields: readonly string[] = [
  'advertiserId',
  'advertiserName',
  'campaignStartDate',
  'campaignEndDate',
  'adunits',
  'adunitId',
  'adunitName',
];

/** A row field for people, with its unit: `revenueEuro` is `Revenue (€)`, `campaignId` is `Campaign ID`; an unknown one is itself. */
export function fieldLabel(field: string): string {
  const derived = (derivedMetrics as readonly DerivedMetric[]).find((metric) => metric.field === field);
  if (derived) return derived.name.replace(/ (.)$/, ' ($1)');
  const metric = metricOfField(field);
  if (metric) return wordsOf(metric.name);
  const breakdown = breakdownOfField(field);
  if (!breakdown) return campaignFields.includes(field) ? wordsOf(field) : field;
  // `adminLevel1` says less than the REGION that it is.
  return wordsOf(/\d$/.test(field) ? breakdown.name.toLowerCase() : field);
}

/** The row field of a label; a text that is no label is itself. */
export function fieldOfLabel(label: string): string {
  const fields = [
    ...derivedMetrics.map(({ field }) => field),
    ...(breakdowns as readonly Breakdown[]).flatMap((breakdown) => breakdown.fields.map(({ name }) => name)),
    ...metrics.map(({ name }) => name),
    ...campaignFields,
  ];
  return fields.find((field) => fieldLabel(field) === label) ?? label;
}

/** The breakdown that a row field comes from. */
export function breakdownOfField(field: string): Breakdown | undefined {
  return (breakdowns as readonly Breakdown[]).find(({ fields }) => fields.some(({ name }) => name === field));
}

/** The sign of the currency that a metric or derived metric counts in; empty for one that counts no money. */
export function currencyOf(field: string): '' | '$' | '€' {
  const name = metricOfField(field)?.name ?? field;
  return name.endsWith('Dollar') ? '$' : name.endsWith('Euro') ? '€' : '';
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
    .replace(/^ad(unit|network)/, 'ad $1')
    .replace(/^(postal|sub)(?=code|publisher)/, (word) => (word === 'sub' ? 'sub-' : 'postal '))
    .replace(/ euro$/, ' (€)')
    .replace(/ dollar$/, ' ($)')
    .replaceAll(/\b(id|os)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
