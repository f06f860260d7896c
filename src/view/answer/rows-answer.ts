import { type Column, fieldTypeOf, metricOfField } from '../../contract/columns.ts';
import { derivedMetrics, findAnyBreakdown } from '../../contract/vocabulary.ts';
import { readRows } from '../../rows/read-rows.ts';
import { rowsOf } from '../../rows/row-batch.ts';
import { formatPlural } from '../../text/quantity.ts';
import { buildComparison } from '../../totals/compared-report.ts';
import type { GroupedTotals } from '../../totals/grouped-totals.ts';
import { isName, othersLabel } from '../../totals/ranked-groups.ts';
import type { KeptRows } from '../rows/kept-rows.ts';
import type { View } from '../view.ts';
import {
  type AnswerForm,
  buildViewSummary,
  columnOfField,
  columnsOfFigures,
  reportDocument,
  sumRows,
  type ViewAnswer,
} from './answer.ts';

/** Returns the rows of a view ungrouped. */
export function rowsAnswer(view: View, kept: KeptRows): ViewAnswer {
  const { sources, collected } = view;
  const fields = fieldsOfRows(view);
  const breakdowns = breakdownsOfRows(view);
  const summary = buildViewSummary(sources.window, breakdowns);
  const leftOut = kept.leftOutCount();
  const left = leftOut === 1 ? '1 row is' : `${formatPlural(leftOut, 'row')} are`;
  const columns = columnsOfRows(view, fields);
  const hasIgnored = collected.tails.some((tail) => {
    return tail.fields.some((field) => !collected.fields.includes(field));
  });
  const picked = new Set([...fields, ...columns.map(({ field }) => field)]);
  return {
    columns,
    breakdowns,
    selectedColumns: undefined,
    isUneven: false,
    leftOut: leftOut === 0 ? undefined : `${left} left out.`,
    rows(form) {
      const json = jsonOfRows(kept, fields, form);
      const rows = view.options.metrics || hasIgnored ? pick(json, [...picked]) : json;
      return readRows(reportDocument(rows, summary));
    },
    async compare() {
      const { window, earlier } = sources;
      const before = collected.answers[1]?.rows;
      if (!window || !earlier || !before) return undefined;
      const form = { withOthers: false, hasColumns: true };
      const rows = readRows(reportDocument(jsonOfRows(before, fields, form), undefined));
      return buildComparison(window, earlier, await sumRows(rows));
    },
  };
}

/**
 * Returns all columns with a value, with `--metrics` breakdowns and these metrics. The columns of
 * breakdowns are in the order of the request.
 */
export function fieldsOfRows(view: View): readonly string[] {
  const { options, collected, figures } = view;
  const { filledFields, unknownNumbers } = collected;
  const ordered = inRequestOrder(filledFields, requestedBreakdowns(view));
  if (!options.metrics) return ordered;
  const others = ordered.filter((field) => {
    const isComputed = derivedMetrics.some((metric) => metric.field === field);
    return !metricOfField(field) && !isComputed && !unknownNumbers.includes(field);
  });
  return [...others, ...figures.map(({ field }) => field)];
}

/** Returns the breakdowns of the folder, or of a report in JSON; empty if they are not known. */
function requestedBreakdowns({ sources, collected }: View): readonly string[] {
  return sources.query?.breakdowns ?? collected.tails[0]?.summary?.breakdowns ?? [];
}

/** JSON has the columns of breakdowns in the order of the service, which is always the same. */
function inRequestOrder(
  fields: readonly string[],
  breakdowns: readonly string[],
): readonly string[] {
  const requested: string[] = [];
  for (const name of breakdowns) {
    requested.push(...(findAnyBreakdown(name)?.fields ?? []).map((field) => field.name));
  }
  const ordered = [...new Set(requested)].filter((field) => fields.includes(field));
  const moved = new Set(ordered);
  return fields.map((field) => (moved.has(field) ? (ordered.shift() ?? field) : field));
}

function columnsOfRows({ options, figures }: View, fields: readonly string[]): readonly Column[] {
  if (!options.metrics) {
    // An unknown column is written as it is.
    return fields.filter((field) => fieldTypeOf(field) !== undefined).map(columnOfField);
  }
  const shown = figures.map(({ field }) => field);
  const others = fields.filter((field) => !shown.includes(field) && fieldTypeOf(field));
  return [...others.map(columnOfField), ...columnsOfFigures(figures)];
}

/** Adds `DAILY` if the rows have their days from their files. */
function breakdownsOfRows({ sources, collected }: View): readonly string[] {
  const { breakdowns = [] } = sources.query ?? {};
  const hasTime = ['DAILY', 'HOURLY', 'WEEKLY', 'MONTHLY'].some((name) => {
    return breakdowns.some((breakdown) => breakdown === name);
  });
  const isDated = sources.query?.split === 'day' && collected.fields.includes('date');
  return isDated && !hasTime ? ['DAILY', ...breakdowns] : breakdowns;
}

async function* jsonOfRows(
  kept: KeptRows,
  fields: readonly string[],
  { withOthers, hasColumns }: AnswerForm,
): AsyncGenerator<Uint8Array> {
  // Of two members of the same name the last one counts, so nulls in front only name the columns.
  const names = fields
    .filter((field) => !derivedMetrics.some((metric) => metric.field === field))
    .map((field) => `${JSON.stringify(field)}:null`);
  let isFirst = true;
  for await (const piece of kept.json()) {
    if (piece.length === 0) continue;
    const isBegun = isFirst && hasColumns && names.length > 0;
    if (isBegun) yield Buffer.from(`{${names.join(',')},`);
    yield isBegun ? piece.subarray(1) : piece;
    isFirst = false;
  }
  if (withOthers && kept.leftOutCount() > 0) {
    yield Buffer.from(`,\n${JSON.stringify(othersRow(kept.rest, fields))}`);
  }
}

/** Keeps only some members of each row. */
async function* pick(
  json: AsyncIterable<Uint8Array>,
  fields: readonly string[],
): AsyncGenerator<Uint8Array> {
  let separator = '';
  for await (const batch of readRows(reportDocument(json, undefined))) {
    const texts = rowsOf(batch).map((row) => JSON.stringify(row, [...fields]));
    yield Buffer.from(separator + texts.join(',\n'));
    separator = ',\n';
  }
}

/** Adds up the rows that `--top` leaves out. */
function othersRow(rest: GroupedTotals, fields: readonly string[]): Record<string, unknown> {
  const sums = rest.totals();
  const isDimension = (field: string): boolean => !rest.metrics.includes(field);
  const named = fields.find((field) => isDimension(field) && isName(field)) ?? fields[0];
  const row: Record<string, unknown> = {};
  for (const field of fields) {
    const sum = sums.get(field);
    row[field] = sum === undefined ? null : Number(sum);
  }
  if (named !== undefined) row[named] = othersLabel(rest.rowCount);
  return row;
}
