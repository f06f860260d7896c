import { fieldLabel, fieldTypeOf, metricOfField } from '../../contract/columns.ts';
import {
  type Comparison,
  derivedFigure,
  type Figure,
  figuresOf,
  figureValue,
  sumsOfRow,
} from '../../figures/figures.ts';
import {
  addSums,
  type DateUnit,
  type Grouping,
  type GroupKey,
  keyText,
  type Sums,
} from '../../figures/grouping.ts';
import { nounOfRow, onlyUnit, type ReportSums, type Unit } from '../../figures/report-sums.ts';
import { earlierSlots, layOutTime } from '../../figures/time-axis.ts';
import { listWords } from '../../figures/window-text.ts';
import type { ColumnPlan, PlannedColumn } from '../../output/columns.ts';
import type { Row } from '../../rows/row-batch.ts';
import { pluralOf } from '../../text/quantity.ts';
import type { ReportModel } from '../report-model.ts';
import {
  type ChangeColumns,
  changeColumns,
  type PageColumn,
  pageColumn,
  type TableRows,
} from './page-column.ts';
import type { PageTable } from './page-table.ts';
import { planPaper } from './paper.ts';

/** What the table of a page is made of. */
export interface ReportTableParts {
  readonly model: ReportModel;

  readonly plan: ColumnPlan;

  readonly rows: readonly Row[];

  /** Present where the rows are sums, by its fields. */
  readonly grouping: Grouping | undefined;

  readonly sums: ReportSums;

  /** Whether the user named the columns: then there are no others. */
  readonly isSelected: boolean;

  readonly comparison: Comparison | undefined;

  /** Whether no filter leaves anything out of the report. */
  readonly isUnrestricted: boolean;
}

/**
 * The table of a page: the name of a row first, then its time and the figures in the order in which
 * they are read, with the change where reports are compared; the greatest first without time.
 */
export function tableOfReport(parts: ReportTableParts): PageTable {
  const { model, sums, grouping, isSelected, isUnrestricted } = parts;
  const { dateUnit } = model;
  const { lead } = model.figures;
  const hasTime = sums.units.some(({ isTime }) => isTime);
  const isSorted = !hasTime && lead !== undefined;
  const rows = isSorted ? sortedBy(lead, parts.rows) : parts.rows;
  const shownRows: TableRows = { rows, totals: sums.total.totals(), dateUnit };

  const planned = columnsToShow(parts);
  const inSight = new Set(model.figures.shown.map(({ field }) => field));
  const all = planned.map((column): PageColumn => {
    const isExtra = !isSelected && column.figure !== undefined && !inSight.has(column.field);
    const isId = isBesideName(column, planned);
    return { ...pageColumn(column, shownRows), isBesideName: isId, isExtra };
  });
  // A column without any value is left out, unless it was chosen.
  const columns = all.filter(({ cells }) => {
    return isSelected || cells.length === 0 || cells.some((cell) => cell !== null);
  });

  const unit = onlyUnit(sums);
  const changes = unit && !isSelected && changesOf(parts, unit, shownRows);
  if (changes) {
    const behindLead = columns.findIndex(({ field }) => field === lead?.field) + 1;
    columns.splice(behindLead, 0, changes.change);
  }
  const hidden = changes ? [changes.hidden] : [];
  for (const field of fieldsOfFormulas(columns)) {
    const isThere = [...columns, ...hidden].some((column) => column.field === field);
    if (!isThere) hidden.push(pageColumn(plannedMetric(field), shownRows));
  }

  const nouns = sums.units.map((each) => nounOfRow(each, dateUnit));
  const severalNouns = nouns.length > 1 ? listWords(nouns) : undefined;
  const rowCount = rows.length;
  return {
    title: grouping ? 'Sums' : titleOf(nouns, isUnrestricted),
    columns,
    hidden,
    rowCount,
    sortedBy: isSorted ? lead.field : undefined,
    paper: planPaper({ columns, rowCount, hasTime, severalNouns }),
  };
}

/** Rows by a figure, the greatest first; those without it come last. */
function sortedBy(figure: Figure, rows: readonly Row[]): Row[] {
  const figureIn = (row: Row) => figureValue(figure, sumsOfRow(row)) ?? Number.NEGATIVE_INFINITY;
  const valued = rows.map((row) => ({ row, value: figureIn(row) }));
  valued.sort((a, b) => (a.value === b.value ? 0 : b.value - a.value));
  return valued.map(({ row }) => row);
}

/**
 * The columns of the report, without those that sums have no value in: what tells rows apart, then
 * the figures that are read first, and then the others with the cost of a click.
 */
function columnsToShow({ model, plan, grouping, isSelected }: ReportTableParts): PlannedColumn[] {
  const kept = plan.shown.filter(({ field, figure }) => {
    return figure || !grouping || grouping.by.some((key) => key.field === field);
  });
  if (isSelected) return kept;

  const columns: PlannedColumn[] = namesFirst(kept.filter(({ figure }) => !figure));
  const { lead, shown, others } = model.figures;
  for (const { field } of [...shown, ...others]) {
    const column = kept.find((each) => each.field === field);
    if (column) columns.push(column);
  }

  const fields = columns.map(({ field }) => field);
  const currency = lead && metricOfField(lead.field)?.name === 'revenueDollar' ? 'Dollar' : 'Euro';
  const field = `cpc${currency}`;
  const figure = fields.includes(field) ? undefined : derivedFigure(field, fields);
  if (figure) columns.push(plannedFigure(figure));
  return columns;
}

/** The first name before all else, because it tells what a row is; an hour tells its day. */
function namesFirst(columns: readonly PlannedColumn[]): PlannedColumn[] {
  const hasHours = columns.some(({ type }) => type === 'hour');
  const needed = hasHours ? columns.filter(({ type }) => type !== 'date') : [...columns];
  const isTimeColumn = ({ type }: PlannedColumn) => type === 'date' || type === 'hour';
  const name =
    needed.find(({ type }) => type === 'text') ?? needed.find((each) => !isTimeColumn(each));
  const times = needed.filter(isTimeColumn);
  const rest = needed.filter((column) => column !== name && !times.includes(column));
  return name ? [name, ...times, ...rest] : needed;
}

/** Whether a column holds ids whose names stand in another one. */
function isBesideName({ field, type }: PlannedColumn, columns: readonly PlannedColumn[]): boolean {
  if (type !== 'id' || !field.endsWith('Id')) return false;
  const name = field.replace(/Id$/, 'Name');
  const plain = field.replace(/Id$/, '');
  return columns.some((column) => column.field === name || column.field === plain);
}

/**
 * What the rows of a report were before, and their changes; `undefined` where they are not compared
 * one by one.
 */
function changesOf(
  parts: ReportTableParts,
  unit: Unit,
  { rows, totals }: TableRows,
): ChangeColumns | undefined {
  const { model, comparison, grouping } = parts;
  const { lead } = model.figures;
  if (!comparison || !lead || lead.derived || grouping) return undefined;

  const earlierOf = unit.isTime
    ? earlierByTime(unit, comparison, model.dateUnit)
    : (key: GroupKey) => comparison.sums.find(unit, { key });
  if (!earlierOf) return undefined;

  const before = rows.map((row) => earlierOf(unit.fields.map((field) => keyText(row[field]))));
  const totalsBefore = comparison.sums.total.totals();
  return changeColumns({ figure: lead, before, totals, totalsBefore, isOfTime: unit.isTime }, rows);
}

/**
 * Gives for a time the sums of the time that lies as far from the beginning of the earlier window.
 */
function earlierByTime(
  unit: Unit,
  comparison: Comparison,
  dateUnit: DateUnit,
): ((key: GroupKey) => Sums | undefined) | undefined {
  const earlier = comparison.sums.groupsOf(unit);
  const axis = layOutTime(unit.groups ?? [], dateUnit);
  if (!earlier || !axis) return undefined;

  const { slots } = earlierSlots(axis, earlier, comparison.begins);
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

function plannedFigure(figure: Figure): PlannedColumn {
  const { field } = figure;
  return { field, name: field, label: fieldLabel(field), type: undefined, numeric: true, figure };
}

function plannedMetric(field: string): PlannedColumn {
  const label = fieldLabel(field);
  const type = fieldTypeOf(field);
  const [figure] = figuresOf([field]);
  return { field, name: field, label, type, numeric: true, ...(figure && { figure }) };
}

/**
 * `All campaigns`, `All days and campaigns`; of a report of one row whether that is everything, or
 * a part of it.
 */
function titleOf(nouns: readonly string[], isUnrestricted: boolean): string {
  if (nouns.length === 0) return isUnrestricted ? 'All campaigns' : 'Total';
  return `All ${listWords(nouns.map(pluralOf))}`;
}
