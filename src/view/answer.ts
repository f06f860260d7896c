import { breakdownOfField, type Column, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { type BreakdownName, findAnyBreakdown, type Profile } from '../contract/vocabulary.ts';
import type { Figure } from '../figures/figures.ts';
import type { Group, Grouping, KeyColumn } from '../figures/grouping.ts';
import type { RankedGroups } from '../figures/ranked-groups.ts';

/** The groups of a view in the form of a report, for the encoders. */
export interface ViewAnswer {
  readonly columns: readonly Column[];
  readonly groups: readonly Group[];
  readonly others: RankedGroups['others'];
  readonly summary: object | undefined;

  /** Members of the document other than `data` and `summary`, as JSON. */
  readonly profile: Profile | undefined;
  readonly by: readonly KeyColumn[];

  /** True if rates have to be computed before the rows are written. */
  readonly isUneven: boolean;
  readonly figures: readonly Figure[];
}

/** The parts of a view that determine the columns. */
interface AnswerColumns {
  /** As in `--by`. */
  readonly by: readonly string[];
  readonly keys: readonly KeyColumn[];
  readonly figures: readonly Figure[];
  readonly isUneven: boolean;
}

/** The columns of an answer: keys in the order of `--by`, then figures. */
export function columnsOfAnswer({ by, keys, figures, isUneven }: AnswerColumns): Column[] {
  const columns: Column[] = [];
  for (const key of keys) columns.push(...columnsOfKey(key, by));

  const shown = new Set(figures.map(({ field }) => field));
  for (const figure of figures) columns.push(columnOfFigure(figure));
  if (isUneven) return columns;
  for (const { derived } of figures) {
    for (const field of derived ? [derived.numeratorField, derived.denominatorField] : []) {
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

/** The names of the breakdowns of an answer, as in a summary. */
export function breakdownNames(by: readonly string[]): string[] {
  return by.map((name) => {
    return findAnyBreakdown(name)?.name ?? breakdownOfField(name)?.name ?? name;
  });
}

/** The breakdowns to request from the service; `undefined` if one is not a breakdown. */
export function sentBreakdowns(by: readonly string[]): BreakdownName[] | undefined {
  const names: BreakdownName[] = [];
  for (const name of by) {
    const breakdown = findAnyBreakdown(name);
    if (!breakdown) return undefined;
    names.push('sentAs' in breakdown ? breakdown.sentAs : (breakdown.name as BreakdownName));
  }
  return names;
}

/** True if some rows of a group have one metric and lack another. */
export function hasUnevenRows(groups: Grouping): boolean {
  for (const { sums } of groups) if (sums.isUneven) return true;
  return false;
}
