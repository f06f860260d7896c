import { breakdownOfField, type Column, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import type { BreakdownName, Profile } from '../contract/vocabulary.ts';
import { findAnyBreakdown } from '../contract/vocabulary.ts';
import type { Figure } from '../figures/figures.ts';
import { figureDigits } from '../figures/figures.ts';
import type { Group, Grouping, KeyColumn } from '../figures/grouping.ts';
import { moneyText } from '../figures/numbers.ts';
import { isName, type RankedGroups } from '../figures/ranked-groups.ts';
import { ReportSums } from '../figures/report-sums.ts';
import { ColumnPlan } from '../output/columns.ts';
import { readRows } from '../rows/read-rows.ts';
import type { RowBatches } from '../rows/row-batch.ts';
import { formatCount } from '../text/quantity.ts';

/** The groups of a view as a report, which the encoders write as they write one of the service. */
export interface ViewAnswer {
  readonly columns: readonly Column[];
  readonly groups: readonly Group[];
  readonly others: RankedGroups['others'];
  readonly summary: object | undefined;

  /** Members of the document beside `data` and `summary`, as JSON. */
  readonly profile: Profile | undefined;
  readonly by: readonly KeyColumn[];

  /** True if rates have to be computed before the rows are written. */
  readonly isUneven: boolean;
  readonly figures: readonly Figure[];
}

/** The choice of columns of an answer. */
interface AnswerColumns {
  /** As `--by` names them. */
  readonly by: readonly string[];
  readonly keys: readonly KeyColumn[];
  readonly figures: readonly Figure[];
  readonly isUneven: boolean;
}

/** The columns of an answer: keys as `--by` orders them, then figures. */
export function columnsOfAnswer({ by, keys, figures, isUneven }: AnswerColumns): Column[] {
  const columns: Column[] = [];
  for (const key of keys) columns.push(...columnsOfKey(key, by));

  const shown = new Set(figures.map(({ field }) => field));
  for (const figure of figures) columns.push(columnOfFigure(figure));
  if (isUneven) return columns;
  for (const { derived } of figures) {
    for (const field of derived ? [derived.numerator, derived.denominator] : []) {
      if (!shown.has(field)) columns.push({ ...columnOfMetric(field), hidden: true });
      shown.add(field);
    }
  }
  return columns;
}

function columnsOfKey({ field, unit }: KeyColumn, by: readonly string[]): Column[] {
  const type = fieldTypeOf(field) ?? 'text';
  if (unit === 'week') return [{ field, type, breakdown: 'RANGE', isOfWeeks: true }];
  if (unit === 'month') return [{ field, type, breakdown: 'MONTHLY' }];
  if (field === 'hour' && by.some((name) => name.toUpperCase() === 'HOURLY')) {
    return [
      { field: 'date', type: 'date', breakdown: 'HOURLY' },
      { field, type, breakdown: 'HOURLY' },
    ];
  }
  const breakdown = breakdownOfField(field)?.name;
  return [{ field, type, ...(breakdown && { breakdown }) }];
}

function columnOfFigure(figure: Figure): Column {
  return figure.derived ? { field: figure.field, type: 'money' } : columnOfMetric(figure.field);
}

function columnOfMetric(field: string): Column {
  const metric = metricOfField(field)?.name;
  return { field, type: fieldTypeOf(field) ?? 'integer', ...(metric && { metric }) };
}

/** The names of the breakdowns of an answer, as a summary has them. */
export function breakdownNames(by: readonly string[]): string[] {
  return by.map((name) => {
    return findAnyBreakdown(name)?.name ?? breakdownOfField(name)?.name ?? name;
  });
}

/** The breakdowns that the service would be asked for; `undefined` if one is not a breakdown. */
export function sentBreakdowns(by: readonly string[]): BreakdownName[] | undefined {
  const names: BreakdownName[] = [];
  for (const name of by) {
    const breakdown = findAnyBreakdown(name);
    if (!breakdown) return undefined;
    names.push('sentAs' in breakdown ? breakdown.sentAs : (breakdown.name as BreakdownName));
  }
  return names;
}

/** The rows of an answer, with one for the groups beyond `--top` if `withOthers` is true. */
export function rowsOfAnswer(answer: ViewAnswer, withOthers: boolean): RowBatches {
  return readRows(bodyOf(answer, withOthers));
}

async function* bodyOf(answer: ViewAnswer, withOthers: boolean): AsyncGenerator<Buffer> {
  const { groups, others, summary, by } = answer;
  let text = '{"data":[';
  let separator = '';
  for (const { key, sums } of groups) {
    text += separator + rowText(answer, key, sums);
    separator = ',\n';
    if (text.length < 256 * 1024) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (others && withOthers) {
    const named = by.find(({ field }) => isName(field)) ?? by[0];
    const label = others.count === 1 ? '1 other' : `${formatCount(others.count)} others`;
    const key = by.map((each) => (each === named ? label : null));
    text += separator + rowText(answer, key, others.sums);
  }
  text += ']';
  if (summary) text += `,"summary":${JSON.stringify(summary)}`;
  yield Buffer.from(`${text}}`);
}

function rowText(
  { by, columns, figures, profile, isUneven }: ViewAnswer,
  key: Group['key'],
  sums: Group['sums'] | NonNullable<ViewAnswer['others']>['sums'],
): string {
  const members: string[] = [];
  const member = (field: string, json: string): void => {
    members.push(`${JSON.stringify(field)}:${json}`);
  };
  for (const { field, breakdown, metric, type } of columns) {
    const index = by.findIndex((each) => each.field === field);
    if (index >= 0) {
      member(field, JSON.stringify(key[index] ?? null));
      continue;
    }
    if (field === 'date' && breakdown === 'HOURLY') {
      const hour = key[by.findIndex((each) => each.field === 'hour')] ?? null;
      member(field, JSON.stringify(hour?.slice(0, 10) ?? null));
      continue;
    }

    const figure = figures.find((each) => each.field === field);
    const isComputed = figure?.derived !== undefined;
    if (isComputed && isUneven) member(field, figureDigits(figure, sums) ?? 'null');
    if (isComputed || metric === undefined) continue;
    const sum = sums.get(field);
    const digits = sum === undefined ? undefined : String(sum);
    member(field, digits === undefined ? 'null' : numberJson(digits, type, profile));
  }
  return `{${members.join(',')}}`;
}

/** A DSP has money as text with two decimals and a comma. */
function numberJson(digits: string, type: string, profile: Profile | undefined): string {
  if (type !== 'money' || profile !== 'dsp') return digits;
  return JSON.stringify(moneyText(digits).replace('.', ','));
}

/** The sums of earlier groups, which an answer is compared with. */
export async function sumsOfAnswer(answer: ViewAnswer): Promise<ReportSums> {
  const sums = new ReportSums();
  const columns = new ColumnPlan({});
  const batches = rowsOfAnswer(answer, true);
  for await (const batch of batches) {
    if (columns.columns.length === 0) columns.follow(batch);
    sums.observe(batch, columns.columns);
  }
  return sums;
}

/** True if some rows of a group have one metric and lack another. */
export function hasUnevenRows(groups: Grouping): boolean {
  for (const { sums } of groups) if (sums.isUneven) return true;
  return false;
}
