import { fieldTypeOf, metricOfField } from '../../contract/columns.ts';
import type { Row } from '../../rows/row-batch.ts';
import { pluralOf } from '../../text/quantity.ts';
import {
  type Comparison,
  derivedFigure,
  type Figure,
  figuresOf,
  figureValue,
  sumsOfRow,
} from '../../view/figures.ts';
import { addSums, type Grouping, type GroupKey, keyText, type Sums } from '../../view/grouping.ts';
import { nounOfRow, onlyUnit, type ReportSums, type Unit } from '../../view/report-sums.ts';
import { earlierSlots, layOutTime } from '../../view/time-axis.ts';
import { listWords } from '../../view/window-text.ts';
import type { ColumnPlan, PlannedColumn } from '../columns.ts';
import {
  type ChangeColumns,
  changeColumns,
  type PageColumn,
  type PageTable,
  pageColumn,
  type TableRows,
} from './page-table.ts';

/** What the table of a page is made of. */
export interface ReportTableParts {
  readonly plan: ColumnPlan;

  readonly rows: readonly Row[];

  /** Present where the rows are sums, by its fields. */
  readonly grouping: Grouping | undefined;

  readonly sums: ReportSums;

  /** The figure that leads the report. */
  readonly lead: Figure | undefined;

  /** Whether the user named the columns: then there are no others. */
  readonly isSelected: boolean;

  readonly comparison: Comparison | undefined;

  /** Whether the dates of the report stand for months. */
  readonly isMonthly: boolean;

  /** Whether no filter leaves anything out of the report. */
  readonly isUnrestricted: boolean;
}

/** The table of a page: its columns with rates and, where reports are compared, the change; the greatest first without time. */
export function tableOfReport(parts: ReportTableParts): PageTable {
  const { sums, lead, grouping, isSelected, isMonthly, isUnrestricted } = parts;
  const hasTime = sums.units.some(({ isTime }) => isTime);
  const isSorted = !hasTime && lead !== undefined;
  const rows = isSorted ? sortedBy(lead, parts.rows) : parts.rows;
  const shownRows: TableRows = { rows, totals: sums.total.totals(), isMonthly };

  const planned = columnsToShow(parts);
  const all = planned.map((column): PageColumn => {
    return { ...pageColumn(column, shownRows), isBesideName: isBesideName(column, planned) };
  });
  // A column without any value is left out, unless it was chosen.
  const columns = all.filter(({ cells }) => {
    return isSelected || cells.length === 0 || cells.some((cell) => cell !== null);
  });

  const unit = onlyUnit(sums);
  const changes = unit && !isSelected && changesOf(parts, unit, shownRows);
  if (changes) columns.push(changes.change);
  const hidden = changes ? [changes.hidden] : [];
  for (const field of fieldsOfFormulas(columns)) {
    const isThere = [...columns, ...hidden].some((column) => column.field === field);
    if (!isThere) hidden.push(pageColumn(plannedMetric(field), shownRows));
  }

  return {
    title: grouping ? 'Sums' : titleOf(sums, { isMonthly, isUnrestricted }),
    columns,
    hidden,
    rowCount: rows.length,
    sortedBy: isSorted ? lead.field : undefined,
  };
}

/** Rows by a figure, the greatest first; those without it come last. */
function sortedBy(figure: Figure, rows: readonly Row[]): Row[] {
  const figureIn = (row: Row) => figureValue(figure, sumsOfRow(row)) ?? Number.NEGATIVE_INFINITY;
  const valued = rows.map((row) => ({ row, value: figureIn(row) }));
  valued.sort((a, b) => (a.value === b.value ? 0 : b.value - a.value));
  return valued.map(({ row }) => row);
}

/** The columns of the report, without those that sums have no value in, and then the rates that a reader looks for. */
function columnsToShow({ plan, grouping, lead, isSelected }: ReportTableParts): PlannedColumn[] {
  const kept = plan.columns.filter(({ field, figure }) => {
    return figure || !grouping || grouping.by.some((key) => key.field === field);
  });
  if (isSelected) return kept;

  // An hour tells its day.
  const hasHours = kept.some(({ type }) => type === 'hour');
  const columns = hasHours ? kept.filter(({ type }) => type !== 'date') : kept;

  const fields = columns.map(({ field }) => field);
  const currency = lead && metricOfField(lead.field)?.name === 'revenueDollar' ? 'Dollar' : 'Euro';
  for (const name of ['ctr', `ecpm${currency}`, `cpc${currency}`]) {
    const figure = derivedFigure(name, fields);
    if (figure && !fields.includes(name))
      columns.push({ field: name, name, type: undefined, numeric: true, figure });
  }
  return columns;
}

/** Whether a column holds ids whose names stand in another one. */
function isBesideName({ field, type }: PlannedColumn, columns: readonly PlannedColumn[]): boolean {
  if (type !== 'id' || !field.endsWith('Id')) return false;
  const name = field.replace(/Id$/, 'Name');
  const plain = field.replace(/Id$/, '');
  return columns.some((column) => column.field === name || column.field === plain);
}

/** What the rows of a report were before, and their changes; `undefined` where they are not compared one by one. */
function changesOf(
  parts: ReportTableParts,
  unit: Unit,
  { rows, totals }: TableRows,
): ChangeColumns | undefined {
  const { comparison, lead, grouping } = parts;
  if (!comparison || !lead || lead.derived || grouping) return undefined;

  const earlierOf = unit.isTime
    ? earlierByTime(parts, unit, comparison)
    : (key: GroupKey) => comparison.sums.find(unit, { key });
  if (!earlierOf) return undefined;

  const before = rows.map((row) => earlierOf(unit.fields.map((field) => keyText(row[field]))));
  const totalsBefore = comparison.sums.total.totals();
  return changeColumns({ figure: lead, before, totals, totalsBefore, isOfTime: unit.isTime }, rows);
}

/** Gives for a time the sums of the time that lies as far from the beginning of the earlier window. */
function earlierByTime(
  { isMonthly }: ReportTableParts,
  unit: Unit,
  comparison: Comparison,
): ((key: GroupKey) => Sums | undefined) | undefined {
  const earlier = comparison.sums.groupsOf(unit);
  const axis = layOutTime(unit.groups ?? [], isMonthly);
  if (!earlier || !axis) return undefined;

  const slots = earlierSlots(axis, earlier, comparison.begins);
  const sums = new Map<string | null, Sums>();
  for (const [i, groups] of axis.slots.entries()) {
    const slot = slots[i] ?? [];
    for (const { key } of groups) {
      if (slot.length > 0) sums.set(key[0] ?? null, addSums(slot, earlier.metrics));
    }
    // So long a time is drawn in longer steps than its rows have.
    if (groups.length > 1) return undefined;
  }
  return ([time]) => sums.get(time ?? null);
}

/** The fields whose values the script of the page needs for what it computes. */
function fieldsOfFormulas(columns: readonly PageColumn[]): Set<string> {
  const fields = new Set<string>();
  for (const { formula } of columns) {
    if (formula?.kind === 'ratio') fields.add(formula.over).add(formula.under);
    if (formula?.kind === 'change') fields.add(formula.now).add(formula.before);
  }
  return fields;
}

function plannedMetric(field: string): PlannedColumn {
  const [figure] = figuresOf([field]);
  return { field, name: field, type: fieldTypeOf(field), numeric: true, ...(figure && { figure }) };
}

/** What decides the words of a title beside the units of the report. */
type TitleParts = Pick<ReportTableParts, 'isMonthly' | 'isUnrestricted'>;

/** `All campaigns`, `All days and campaigns`; of a report of one row whether that is everything, or a part of it. */
function titleOf({ units }: ReportSums, { isMonthly, isUnrestricted }: TitleParts): string {
  if (units.length === 0) return isUnrestricted ? 'All campaigns' : 'Total';

  const nouns = units.map((unit) => pluralOf(nounOfRow(unit, isMonthly)));
  return `All ${listWords(nouns)}`;
}
