import { currencyOf, metricOfField } from '../contract/columns.ts';
import type { Comparison, Figure } from '../figures/figures.ts';
import { nameOfGroup } from '../figures/group-name.ts';
import type { DateUnit, Group, Sums } from '../figures/grouping.ts';
import { decimalOf, hourText } from '../figures/numbers.ts';
import { byFigure } from '../figures/ranked-groups.ts';
import type { ReportSums, Unit } from '../figures/report-sums.ts';
import { shorten } from '../text/cell-width.ts';
import { Decimal } from '../text/decimal.ts';
import { nameInSentence } from '../text/printable.ts';
import { longestInTable } from './short-names.ts';
import { timeTexts } from './time-texts.ts';

/** What a headline is made from. */
export interface HeadlineParts {
  readonly sums: ReportSums;

  /** The figure that leads the report. */
  readonly lead: Figure | undefined;

  readonly comparison: Comparison | undefined;

  /** What the dates of the report stand for. */
  readonly dateUnit: DateUnit;
}

/** How much one group has moved a figure of the whole report. */
interface Move {
  readonly unit: Unit;

  readonly group: Pick<Group, 'key'>;

  /** What it brought in this report, and in the earlier one; absent where it is not there. */
  readonly now: Decimal | undefined;
  readonly before: Decimal | undefined;

  readonly difference: Decimal;
}

const none = new Decimal(0n, 0);
const ten = new Decimal(10n, 0);
const hundred = new Decimal(100n, 0);

/**
 * The report in a sentence, made of exact sums: revenue, its change, and the group that moved it
 * most; of a report by time alone the time that brought most. `undefined` where it would say
 * little: without revenue, or without a change.
 */
export function headlineOf({
  sums,
  lead,
  comparison,
  dateUnit,
}: HeadlineParts): string | undefined {
  if (!comparison || !lead || !isRevenue(lead)) return undefined;

  const { field } = lead;
  const now = sumOf(field, sums.total.totals());
  const before = sumOf(field, comparison.sums.total.totals());
  if (!now || !before || now.sign <= 0 || before.sign <= 0) return undefined;

  const difference = now.minus(before);
  const percent = percentText(difference, before);
  if (percent === undefined) return undefined;

  const verb = difference.sign > 0 ? 'rose' : 'fell';
  const change = `Revenue ${verb} ${percent} to ${amountText(field, now)}`;
  const move = greatestMove(sums, comparison, { field, sign: difference.sign });
  const clause = move ? clauseOf(move, field) : clauseOfTime(sums, lead, dateUnit);
  return clause === undefined ? `${change}.` : `${change}; ${clause}.`;
}

function isRevenue({ field, derived }: Figure): boolean {
  return !derived && (metricOfField(field)?.name.startsWith('revenue') ?? false);
}

function sumOf(field: string, sums: Sums | undefined): Decimal | undefined {
  const sum = sums?.get(field);
  return sum === undefined ? undefined : decimalOf(sum);
}

/** Which way the sum of a metric has gone. */
interface Direction {
  readonly field: string;
  readonly sign: number;
}

/**
 * What moved a sum most in the direction that it went, by the first breakdown that has more than
 * one group.
 */
function greatestMove(
  sums: ReportSums,
  comparison: Comparison,
  direction: Direction,
): Move | undefined {
  for (const unit of sums.units) {
    if (unit.isTime) continue;
    const moves = movesOf(unit, comparison, direction.field);
    if (moves.length > 1) return greatestOf(moves, direction.sign);
  }
  return undefined;
}

/** Every group of a unit, of either report, with what it moved. */
function movesOf(unit: Unit, comparison: Comparison, field: string): Move[] {
  const { groups } = unit;
  const earlier = comparison.sums.groupsOf(unit);
  if (!groups || !earlier) return [];

  const moves: Move[] = [];
  const addMove = (group: Group): void => {
    const now = sumOf(field, groups.find(group.key)?.sums);
    const before = sumOf(field, earlier.find(group.key)?.sums);
    const difference = (now ?? none).minus(before ?? none);
    moves.push({ unit, group, now, before, difference });
  };
  for (const group of groups) addMove(group);
  for (const group of earlier) {
    if (!groups.find(group.key)) addMove(group);
  }
  return moves;
}

function greatestOf(moves: readonly Move[], sign: number): Move | undefined {
  let greatest: Move | undefined;
  for (const move of moves) {
    if (move.difference.sign !== sign) continue;
    const lead = greatest ? move.difference.minus(greatest.difference).sign : sign;
    if (lead === sign) greatest = move;
  }
  // Rows without a value have no name to put into a sentence.
  return greatest?.group.key.some((text) => text) ? greatest : undefined;
}

function clauseOf({ unit, group, now, before, difference }: Move, field: string): string {
  const whole = nameOfGroup(unit.fields, group).name;
  const name = `“${nameInSentence(shorten(whole, longestInTable))}”`;
  if (!before) return `the new ${name} brought ${amountText(field, now ?? none)}`;
  if (!now) return `${name}, which ended, had brought ${amountText(field, before)}`;

  const isMore = difference.sign > 0;
  const size = isMore ? difference : none.minus(difference);
  return `${name} brought ${amountText(field, size)} ${isMore ? 'more' : 'less'}`;
}

/** Which time brought most, where there are at least two. */
function clauseOfTime({ units }: ReportSums, lead: Figure, dateUnit: DateUnit): string | undefined {
  const [unit, another] = units;
  if (!unit?.isTime || another) return undefined;

  const [best, second] = [...(unit.groups ?? [])].sort(byFigure(lead));
  const amount = best && sumOf(lead.field, best.sums);
  const time = best?.key[0];
  if (!second || !amount || !time) return undefined;

  const texts = timeTexts({ cells: [hourText(time)], dateUnit: dateUnit });
  const name = texts.get(hourText(time));
  return name === undefined ? undefined : `${name} brought most, ${amountText(lead.field, amount)}`;
}

/** A change in percent, with a decimal below ten; `undefined` where it is rounded to none. */
function percentText(difference: Decimal, before: Decimal): string | undefined {
  const size = difference.sign < 0 ? none.minus(difference) : difference;
  const hundredfold = size.times(hundred);
  const tenths = hundredfold.dividedBy(before, 1);
  if (tenths.sign === 0) return undefined;

  const isSmall = tenths.minus(ten).sign < 0;
  const rounded = isSmall ? tenths : hundredfold.dividedBy(before, 0);
  return `${numberText(rounded, isSmall ? 1 : 0)}%`;
}

/** Money for a sentence: whole from 1,000 on, else with its cents. */
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
