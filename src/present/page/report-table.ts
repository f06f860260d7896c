import { fieldLabel, fieldTypeOf, metricOfField } from '../../contract/columns.ts';
import type { ColumnPlan, PlannedColumn } from '../../output/column-plan.ts';
import type { Row } from '../../rows/row-batch.ts';
import { formatCount, listWords, pluralOf } from '../../text/quantity.ts';
import {
  type Comparison,
  derivedFigure,
  type Figure,
  figuresOf,
  figureValue,
  sumsOfRow,
} from '../../totals/figures.ts';
import { type DateUnit, keyText, type Sums } from '../../totals/grouping.ts';
import { type ReportSums, rowNoun, type Unit } from '../../totals/report-sums.ts';
import { RowMatcher } from '../../totals/row-matcher.ts';
import { formatWithCurrency } from '../figure-text.ts';
import { inReadingOrder, type ReportModel } from '../report-model.ts';
import { maxTableRows } from '../table-size.ts';
import {
  changeColumn,
  type EarlierRows,
  type PageColumn,
  pageColumn,
  type TableRows,
} from './page-column.ts';
import type { PageTable } from './page-table.ts';
import { planPaper } from './paper.ts';

export interface TableParts {
  readonly model: ReportModel;

  readonly plan: ColumnPlan;

  readonly sums: ReportSums;

  /** Set if the user named the columns; then no others are shown. */
  readonly isSelected: boolean;

  readonly comparison: Comparison | undefined;
}

interface TableSource {
  readonly title: string;

  /** One for each breakdown: `day`, `campaign`. */
  readonly nouns: readonly string[];

  readonly rows: readonly Row[];

  /** Present if the rows are the groups of a unit, rather than those of the report. */
  readonly unit?: Unit;

  readonly hasTime: boolean;
}

/** Returns `undefined` if the report has no breakdown. */
export function tableOfRows(parts: TableParts & { rows: readonly Row[] }): PageTable | undefined {
  const { model, sums, rows } = parts;
  const { units } = sums;
  // The cards already show these metrics.
  if (units.length === 0 && rows.length < 2) return undefined;

  const nouns = units.map((unit) => rowNoun(unit, model.dateUnit));
  return tableOf(parts, {
    title: titleOf(nouns),
    nouns,
    rows,
    hasTime: units.some(({ isTime }) => isTime),
  });
}

/**
 * Lists the values of the first breakdown, unless the report's rows are just those: campaigns of a
 * report by day and campaign.
 */
export function tableOfGroups(parts: TableParts): PageTable | undefined {
  const [ranking] = parts.model.rankings;
  const grouping = ranking?.unit.groups;
  if (!grouping || grouping.size === 0 || parts.sums.units.length < 2) return undefined;
  return tableOfUnit(ranking.unit, parts);
}

/** Lists the values of the first breakdown, or the times of a report without breakdowns. */
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
  return tableOf(parts, { title: titleOf(nouns), nouns, rows, unit, hasTime });
}

/**
 * Adds a change after each main metric if there is a comparison. The largest rows come first,
 * within a time if there are times. Returns `undefined` without rows or columns.
 */
function tableOf(parts: TableParts, source: TableSource): PageTable | undefined {
  const { model, sums } = parts;
  const { title, nouns, hasTime } = source;
  const { lead } = model.figures;
  const isSorted = !hasTime && lead !== undefined;
  const rows = lead ? largestFirst(lead, source) : source.rows;
  const shownRows: TableRows = { rows, totals: sums.total.totals(), dateUnit: model.dateUnit };

  const columns = columnsOf(parts, source, shownRows);
  const hidden: PageColumn[] = [];
  const earlier = earlierRows(parts, source, shownRows);
  if (earlier) {
    for (const figure of model.figures.shown) {
      const after = columns.findIndex(({ field }) => field === figure.field) + 1;
      columns.splice(after, 0, changeColumn(figure, earlier, rows));
    }
  }
  for (const field of fieldsOfRates(columns)) {
    const isThere = columns.some((column) => column.field === field);
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
 * Returns the visible columns except for the change. Columns without values are omitted unless
 * selected.
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

/** Describes the values of a breakdown that are not printed. */
function restSentenceOf(
  { rankings }: ReportModel,
  { nouns, rows }: TableSource,
): string | undefined {
  const count = rows.length - maxTableRows;
  const ranking = rankings.find(({ unit, noun }) => !unit.isTime && noun === nouns.join());
  if (!ranking || count <= 0) return undefined;

  const [noun = ''] = nouns;
  const words = count === 1 ? `1 other ${noun}` : `${formatCount(count)} other ${pluralOf(noun)}`;
  const rest = ranking.othersBelowTable;
  const amount = rest ? `, ${formatWithCurrency(ranking.figure, rest.sums)} in total` : '';
  return `Not printed: ${words}${amount}.`;
}

/** Sorts within the time if rows have one; rows without a value come last. */
function largestFirst(figure: Figure, { rows, nouns, hasTime }: TableSource): readonly Row[] {
  const hasTimeOnly = hasTime && nouns.length === 1;
  if (hasTimeOnly) return rows;

  const places = new Map<string | null, number>();
  const valued = rows.map((row) => {
    const time = hasTime ? keyText(row.hour ?? row.date) : null;
    const place = places.get(time) ?? places.size;
    places.set(time, place);
    return { row, place, value: figureValue(figure, sumsOfRow(row)) ?? Number.NEGATIVE_INFINITY };
  });
  valued.sort((a, b) => {
    return a.place - b.place || (a.value === b.value ? 0 : b.value - a.value);
  });
  return valued.map(({ row }) => row);
}

/** Drops fields that were summed over, and adds the cost per click. */
function columnsToShow(
  { model, plan, isSelected }: TableParts,
  { unit }: TableSource,
): PlannedColumn[] {
  const hasHours = plan.shown.some(({ type }) => type === 'hour');
  const kept = plan.shown.filter(({ field, figure, type }) => {
    // An hour includes its date.
    if (!isSelected && hasHours && type === 'date') return false;
    return figure || !unit || unit.fields.includes(field);
  });
  if (isSelected) return kept;

  const columns = inReadingOrder(kept, model.figures);
  const fields = columns.map(({ field }) => field);
  const { lead } = model.figures;
  const currency = lead && metricOfField(lead.field)?.name === 'revenueDollar' ? 'Dollar' : 'Euro';
  const field = `cpc${currency}`;
  const figure = fields.includes(field) ? undefined : derivedFigure(field, fields);
  if (figure) columns.push(plannedFigure(figure));
  return columns;
}

/** Matches a column of ids whose names are in another column. */
function isIdOfName({ field, type }: PlannedColumn, columns: readonly PlannedColumn[]): boolean {
  if (type !== 'id' || !field.endsWith('Id')) return false;
  const name = field.replace(/Id$/, 'Name');
  const plain = field.replace(/Id$/, '');
  return columns.some((column) => column.field === name || column.field === plain);
}

/** Returns `undefined` if rows are not compared one by one. */
function earlierRows(
  { model, comparison, isSelected }: TableParts,
  { unit, hasTime }: TableSource,
  { rows, totals }: TableRows,
): EarlierRows | undefined {
  // The days of two windows differ.
  if (!comparison || isSelected || unit?.isTime) return undefined;

  const findEarlier = unit
    ? (row: Row) => comparison.sums.find(unit, { key: unit.fields.map((f) => keyText(row[f])) })
    : rowFinder(comparison, rows, model.dateUnit);
  if (!findEarlier) return undefined;

  const totalsBefore = comparison.sums.total.totals();
  return { before: rows.map(findEarlier), totals, totalsBefore, hasTime };
}

/** Finds rows by their breakdowns; `undefined` if the earlier report has too many of them. */
function rowFinder(
  comparison: Comparison,
  rows: readonly Row[],
  dateUnit: DateUnit,
): ((row: Row) => Sums | undefined) | undefined {
  const earlier = comparison.sums.rows;
  if (!earlier) return undefined;

  const hasHours = rows.some(({ hour }) => hour !== undefined && hour !== null);
  const dateStep = dateUnit === 'window' ? 'day' : dateUnit;
  const matcher = new RowMatcher(comparison, earlier, hasHours ? 'hour' : dateStep);
  return (row) => matcher.find((field) => row[field]);
}

function fieldsOfRates(columns: readonly PageColumn[]): Set<string> {
  const fields = new Set<string>();
  for (const { figure } of columns) {
    if (figure?.derived) {
      fields.add(figure.derived.numeratorField).add(figure.derived.denominatorField);
    }
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
