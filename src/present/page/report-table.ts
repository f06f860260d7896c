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
import { onlyUnit, type ReportSums, rowNoun, type Unit } from '../../figures/report-sums.ts';
import { earlierSlots, layOutTime } from '../../figures/time-axis.ts';
import { listWords } from '../../figures/window-text.ts';
import type { ColumnPlan, PlannedColumn } from '../../output/column-plan.ts';
import type { Row } from '../../rows/row-batch.ts';
import { formatCount, pluralOf } from '../../text/quantity.ts';
import { formatWithCurrency } from '../figure-text.ts';
import type { ReportModel } from '../report-model.ts';
import { maxTableRows } from '../table-size.ts';
import {
  type ChangeColumns,
  changeColumns,
  type PageColumn,
  pageColumn,
  type TableRows,
} from './page-column.ts';
import type { PageTable } from './page-table.ts';
import { planPaper } from './paper.ts';

/** The data of a page's tables. */
export interface TableParts {
  readonly model: ReportModel;

  readonly plan: ColumnPlan;

  readonly sums: ReportSums;

  /** True if the user named the columns; then no others are shown. */
  readonly isSelected: boolean;

  readonly comparison: Comparison | undefined;
}

/** The data for the table of a report's rows. */
export interface RowTableParts extends TableParts {
  readonly rows: readonly Row[];

  /** Present if the rows are sums, grouped by its fields. */
  readonly grouping: Grouping | undefined;
}

/** The rows of a table and their kind. */
interface TableSource {
  readonly title: string;

  /** Nouns for the rows: `day`, `campaign`. */
  readonly nouns: readonly string[];

  readonly rows: readonly Row[];

  /** Present if the rows are sums, grouped by its fields. */
  readonly grouping: Grouping | undefined;

  /** Present if each row can be compared with one in an earlier report. */
  readonly unit: Unit | undefined;

  readonly hasTime: boolean;
}

/** The table of a report's rows; `undefined` if the report has no breakdown. */
export function tableOfRows(parts: RowTableParts): PageTable | undefined {
  const { model, sums, rows, grouping } = parts;
  const { units } = sums;
  // The cards already show these figures.
  if (units.length === 0 && rows.length < 2) return undefined;

  const nouns = units.map((each) => rowNoun(each, model.dateUnit));
  return tableOf(parts, {
    title: grouping ? 'Sums' : titleOf(nouns),
    nouns,
    rows,
    grouping,
    unit: grouping ? undefined : onlyUnit(sums),
    hasTime: units.some(({ isTime }) => isTime),
  });
}

/**
 * The values of the first breakdown, unless the report's rows are just those: campaigns of a report
 * by day and campaign.
 */
export function tableOfGroups(parts: TableParts): PageTable | undefined {
  const [ranking] = parts.model.rankings;
  const grouping = ranking?.unit.groups;
  if (!grouping || grouping.size === 0 || parts.sums.units.length < 2) return undefined;
  return tableOfUnit(ranking.unit, parts);
}

/** The values of the first breakdown, or the times of a report without breakdowns. */
export function tableOfFirstUnit(parts: TableParts): PageTable | undefined {
  const { units } = parts.sums;
  const unit = units.find(({ isTime }) => !isTime) ?? units[0];
  return unit && tableOfUnit(unit, parts);
}

function tableOfUnit(unit: Unit, parts: TableParts): PageTable | undefined {
  const { groups } = unit;
  if (!groups) return undefined;

  const nouns = [rowNoun(unit, parts.model.dateUnit)];
  const hasTime = unit.isTime;
  const rows = groups.rowsOf();
  return tableOf(parts, { title: titleOf(nouns), nouns, rows, grouping: groups, unit, hasTime });
}

/**
 * A table with the names first, then times and figures in display order, and changes if there is a
 * comparison. Rows without times are sorted in descending order. `undefined` without rows or
 * columns.
 */
function tableOf(parts: TableParts, source: TableSource): PageTable | undefined {
  const { model, sums } = parts;
  const { title, nouns, hasTime } = source;
  const { lead } = model.figures;
  const isSorted = !hasTime && lead !== undefined;
  const rows = isSorted ? sortedBy(lead, source.rows) : source.rows;
  const shownRows: TableRows = { rows, totals: sums.total.totals(), dateUnit: model.dateUnit };

  const columns = columnsOf(parts, source, shownRows);
  const changes = changesOf(parts, source.unit, shownRows);
  if (changes) {
    const behindLead = columns.findIndex(({ field }) => field === lead?.field) + 1;
    columns.splice(behindLead, 0, changes.change);
  }
  const hidden = changes ? [changes.hidden] : [];
  for (const field of fieldsOfFormulas(columns)) {
    const isThere = [...columns, ...hidden].some((column) => column.field === field);
    if (!isThere) hidden.push(pageColumn(plannedMetric(field), shownRows));
  }
  const rowCount = rows.length;
  if (columns.length === 0 || rowCount === 0) return undefined;

  const restSentence = restSentenceOf(model, source);
  return {
    title,
    columns,
    hidden,
    rowCount,
    sortedBy: isSorted ? lead.field : undefined,
    paper: planPaper({ columns, rowCount, hasTime, nouns, restSentence }),
  };
}

/**
 * The visible columns except for the change. Columns without values are omitted unless selected.
 */
function columnsOf(parts: TableParts, source: TableSource, rows: TableRows): PageColumn[] {
  const { model, isSelected } = parts;
  const planned = columnsToShow(parts, source);
  const inSight = new Set(model.figures.shown.map(({ field }) => field));

  const columns: PageColumn[] = [];
  for (const column of planned) {
    const isExtra = !isSelected && column.figure !== undefined && !inSight.has(column.field);
    const isId = isIdOfName(column, planned);
    const shown = { ...pageColumn(column, rows), isIdOfName: isId, isExtra };
    const hasValue = shown.cells.length === 0 || shown.cells.some((cell) => cell !== null);
    if (isSelected || hasValue) columns.push(shown);
  }
  return columns;
}

/** A sentence on the values of a breakdown that are not printed. */
function restSentenceOf(
  { rankings }: ReportModel,
  { nouns, unit, rows }: TableSource,
): string | undefined {
  const count = rows.length - maxTableRows;
  const ranking = rankings.find((each) => each.unit.fields.join() === unit?.fields.join());
  if (!ranking || count <= 0) return undefined;

  const [noun = ''] = nouns;
  const words = count === 1 ? `1 other ${noun}` : `${formatCount(count)} other ${pluralOf(noun)}`;
  const rest = ranking.othersBelowTable;
  const amount = rest ? `, ${formatWithCurrency(ranking.figure, rest.sums)} in total` : '';
  return `Not printed: ${words}${amount}.`;
}

/** Sorts rows by a figure in descending order; rows without it come last. */
function sortedBy(figure: Figure, rows: readonly Row[]): Row[] {
  const figureIn = (row: Row) => figureValue(figure, sumsOfRow(row)) ?? Number.NEGATIVE_INFINITY;
  const valued = rows.map((row) => ({ row, value: figureIn(row) }));
  valued.sort((a, b) => (a.value === b.value ? 0 : b.value - a.value));
  return valued.map(({ row }) => row);
}

/**
 * The columns in order, without fields that were summed over: names, main figures, then the others
 * and the cost per click.
 */
function columnsToShow(
  { model, plan, isSelected }: TableParts,
  { grouping }: TableSource,
): PlannedColumn[] {
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

/** Moves the first name to the front. Dates are omitted if there are hours, which include them. */
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

/** True if a column contains ids whose names are in another column. */
function isIdOfName({ field, type }: PlannedColumn, columns: readonly PlannedColumn[]): boolean {
  if (type !== 'id' || !field.endsWith('Id')) return false;
  const name = field.replace(/Id$/, 'Name');
  const plain = field.replace(/Id$/, '');
  return columns.some((column) => column.field === name || column.field === plain);
}

/**
 * The changes of rows against an earlier report; `undefined` if rows are not compared one by one.
 */
function changesOf(
  { model, comparison, isSelected }: TableParts,
  unit: Unit | undefined,
  { rows, totals }: TableRows,
): ChangeColumns | undefined {
  const { lead } = model.figures;
  if (!comparison || !lead || lead.derived || !unit || isSelected) return undefined;

  const earlierOf = unit.isTime
    ? earlierByTime(unit, comparison, model.dateUnit)
    : (key: GroupKey) => comparison.sums.find(unit, { key });
  if (!earlierOf) return undefined;

  const before = rows.map((row) => earlierOf(unit.fields.map((field) => keyText(row[field]))));
  const totalsBefore = comparison.sums.total.totals();
  return changeColumns({ figure: lead, before, totals, totalsBefore, isOfTime: unit.isTime }, rows);
}

/** Looks up the sums of a time at the same distance from the beginning of the earlier window. */
function earlierByTime(
  unit: Unit,
  comparison: Comparison,
  dateUnit: DateUnit,
): ((key: GroupKey) => Sums | undefined) | undefined {
  const earlier = comparison.sums.groupsOf(unit);
  const axis = layOutTime(unit.groups ?? [], dateUnit);
  if (!earlier || !axis) return undefined;

  const { slots } = earlierSlots(axis, earlier, comparison.windows);
  const sums = new Map<string | null, Sums>();
  for (const [i, groups] of axis.slots.entries()) {
    const slot = slots[i] ?? [];
    for (const { key } of groups) {
      if (slot.length > 0) sums.set(key[0] ?? null, addSums(slot, earlier.metrics));
    }
    // The axis has longer steps than the rows.
    if (groups.length > 1) return undefined;
  }
  return ([time]) => sums.get(time ?? null);
}

/** The fields that the page's script needs for its formulas. */
function fieldsOfFormulas(columns: readonly PageColumn[]): Set<string> {
  const fields = new Set<string>();
  for (const { formula } of columns) {
    if (formula?.kind === 'ratio') fields.add(formula.numerator).add(formula.denominator);
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

/** `All campaigns`, `All days and campaigns`. */
function titleOf(nouns: readonly string[]): string {
  return nouns.length === 0 ? 'All rows' : `All ${listWords(nouns.map(pluralOf))}`;
}
