import { currencyOf, metricOfField } from '../contract/columns.ts';
import { Decimal } from '../text/decimal.ts';
import { nameInSentence } from '../text/printable.ts';
import type { Comparison, Figure } from '../totals/figures.ts';
import { nameOfGroup } from '../totals/group-name.ts';
import type { Group, Sums } from '../totals/grouping.ts';
import { decimalOf } from '../totals/numbers.ts';
import { type ReportSums, type Unit, unitNoun } from '../totals/report-sums.ts';

/** Contribution of one group to the change of a metric. */
interface Contribution {
  readonly unit: Unit;

  readonly group: Pick<Group, 'key'>;

  /** Value in this report and in the earlier one; `undefined` if the group does not occur there. */
  readonly now: Decimal | undefined;
  readonly before: Decimal | undefined;

  readonly difference: Decimal;
}

const zero = new Decimal(0n, 0);
const ten = new Decimal(10n, 0);
const hundred = new Decimal(100n, 0);

/**
 * Sums up the report in a sentence, from exact sums: revenue, its change, and the group that
 * contributed most. Returns `undefined` without revenue or without a change.
 */
export function formatHeadline(
  sums: ReportSums,
  lead: Figure,
  comparison: Comparison,
): string | undefined {
  if (!isRevenue(lead)) return undefined;

  const { field } = lead;
  const now = sumOf(field, sums.total.totals());
  const before = sumOf(field, comparison.sums.total.totals());
  if (!now || !before || now.sign <= 0 || before.sign <= 0) return undefined;

  const difference = now.minus(before);
  const percent = percentText(difference, before);
  if (percent === undefined) return undefined;

  const verb = difference.sign > 0 ? 'rose' : 'fell';
  // The amount has the currency.
  const subject = lead.label.replace(/ \([€$]\)$/, '');
  const change = `${subject} ${verb} ${percent} to ${amountText(field, now)}`;
  const contribution = largestContribution(sums, comparison, { field, sign: difference.sign });
  return contribution ? `${change}; ${contributionClause(contribution, field)}.` : `${change}.`;
}

function isRevenue({ field, derived }: Figure): boolean {
  return !derived && (metricOfField(field)?.name.startsWith('revenue') ?? false);
}

function sumOf(field: string, sums: Sums | undefined): Decimal | undefined {
  const sum = sums?.get(field);
  return sum === undefined ? undefined : decimalOf(sum);
}

/** Uses the first breakdown with more than one group. */
function largestContribution(
  sums: ReportSums,
  comparison: Comparison,
  direction: { readonly field: string; readonly sign: number },
): Contribution | undefined {
  for (const unit of sums.units) {
    if (unit.isTime) continue;
    const contributions = contributionsOf(unit, comparison, direction.field);
    if (contributions.length > 1) return largestOf(contributions, direction.sign);
  }
  return undefined;
}

/** Includes groups that occur in only one of the reports. */
function contributionsOf(unit: Unit, comparison: Comparison, field: string): Contribution[] {
  const { groups } = unit;
  const earlier = comparison.sums.groupsOf(unit);
  if (!groups || !earlier) return [];

  const contributions: Contribution[] = [];
  const addContribution = (group: Group): void => {
    const now = sumOf(field, groups.find(group.key)?.sums);
    const before = sumOf(field, earlier.find(group.key)?.sums);
    const difference = (now ?? zero).minus(before ?? zero);
    contributions.push({ unit, group, now, before, difference });
  };
  for (const group of groups) addContribution(group);
  for (const group of earlier) {
    if (!groups.find(group.key)) addContribution(group);
  }
  return contributions;
}

function largestOf(contributions: readonly Contribution[], sign: number): Contribution | undefined {
  let largest: Contribution | undefined;
  for (const contribution of contributions) {
    if (contribution.difference.sign !== sign) continue;
    const lead = largest ? contribution.difference.minus(largest.difference).sign : sign;
    if (lead === sign) largest = contribution;
  }
  // Rows without a value have no name to use in a sentence.
  return largest?.group.key.some((text) => text) ? largest : undefined;
}

function contributionClause(
  { unit, group, now, before, difference }: Contribution,
  field: string,
): string {
  const name = `“${nameInSentence(nameOfGroup(unit.fields, group).name)}”`;
  const noun = unitNoun(unit);
  if (!before) return `the new ${noun} ${name} added ${amountText(field, now ?? zero)}`;
  if (!now) return `the ${noun} ${name}, which ended, had ${amountText(field, before)}`;

  const isMore = difference.sign > 0;
  const size = isMore ? difference : zero.minus(difference);
  return `${name} has ${amountText(field, size)} ${isMore ? 'more' : 'less'}`;
}

/** Has one decimal below ten; `undefined` if it rounds to zero. */
function percentText(difference: Decimal, before: Decimal): string | undefined {
  const size = difference.sign < 0 ? zero.minus(difference) : difference;
  const hundredfold = size.times(hundred);
  const tenths = hundredfold.dividedBy(before, 1);
  if (tenths.sign === 0) return undefined;

  const isSmall = tenths.minus(ten).sign < 0;
  const rounded = isSmall ? tenths : hundredfold.dividedBy(before, 0);
  return `${numberText(rounded, isSmall ? 1 : 0)}%`;
}

/** Drops the cents from 1,000 on. */
function amountText(field: string, amount: Decimal): string {
  const isSmall = amount.minus(new Decimal(1000n, 0)).sign < 0;
  return `${currencyOf(field)}${numberText(amount, isSmall ? 2 : 0)}`;
}

function numberText(number: Decimal, decimals: number): string {
  const format = new Intl.NumberFormat('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return format.format(String(number) as `${number}`);
}
