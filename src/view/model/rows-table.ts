import { fieldTypeOf, isComputedMetric, metricOfField } from '../../contract/columns.ts';
import { findAnyBreakdown } from '../../contract/vocabulary.ts';
import { listMetricColumns, toColumn } from '../../query/table-columns.ts';
import { buildBatch } from '../../rows/build-batch.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { toDecimal } from '../../totals/exact-sum.ts';
import { GroupedTotals } from '../../totals/grouped-totals.ts';
import { isNameField, othersLabel } from '../../totals/ranked-groups.ts';
import type { KeptRows } from '../groups/kept-rows.ts';
import type { FileFields } from '../rows/same-breakdowns.ts';
import { formatRestNote } from './groups-table.ts';
import type { View, ViewTable } from './view.ts';

/** Builds a table of the rows, for a view without `--by`. */
export function buildRowsTable(view: View, kept: KeptRows): ViewTable {
  const { options, metrics, read, before } = view;
  const dimensions = listDimensions(view);
  // Unknown columns are written unchanged, after the others.
  const known = dimensions.filter((field) => fieldTypeOf(field) !== undefined);
  const columns = [
    ...known.map((field) => toColumn(field)),
    ...(options.metrics ? listMetricColumns(metrics) : []),
  ];
  const names = new Set([...dimensions, ...columns.map(({ field }) => field)]);
  const fields = [...names].filter((field) => {
    return read.fields.includes(field) && !(options.metrics && isComputedMetric(field));
  });
  const { restCount } = kept;
  return {
    columns,
    fields,
    breakdowns: listRowBreakdowns(view),
    selected: undefined,
    omittedNote: restCount === 0 ? undefined : formatRestNote(restCount, 'row', options),
    batches: (withOthers) => {
      const hasOthers = withOthers && restCount > 0;
      return hasOthers ? appendOthers(view, kept, fields) : kept.batches(fields);
    },
    before: before?.rows && {
      columns,
      batches: () => before.rows?.batches(fields) ?? [],
    },
  };
}

/**
 * Lists the columns with values, breakdowns in request order. With `--metrics`, metrics are
 * omitted.
 */
function listDimensions({ options, read, sources }: View): string[] {
  const filled = new Set(read.files.flatMap(listFilledFields));
  const requested = sources.query?.breakdowns ?? read.files[0]?.tail.summary?.breakdowns ?? [];
  const fields = sortByRequest(
    read.fields.filter((field) => filled.has(field)),
    requested,
  );
  if (!options.metrics) return fields;
  return fields.filter((field) => !metricOfField(field) && !isComputedMetric(field));
}

/**
 * Lists the requested columns. A CSV has no others. JSON has every column, so those without values
 * are omitted.
 */
function listFilledFields({ tail, fields, filled }: FileFields): readonly string[] {
  return tail.isCsv ? fields : [...filled];
}

/** Sorts breakdowns in request order. In JSON, they are in the service's order. */
function sortByRequest(fields: readonly string[], breakdowns: readonly string[]): string[] {
  const requested = new Set<string>();
  for (const name of breakdowns) {
    for (const field of findAnyBreakdown(name)?.fields ?? []) requested.add(field.name);
  }
  const ordered = [...requested].filter((field) => fields.includes(field));
  return fields.map((field) => (requested.has(field) ? (ordered.shift() ?? field) : field));
}

/** Lists the breakdowns of the rows, including `DAILY` if the dates come from the files. */
function listRowBreakdowns({ sources: { query }, read }: View): readonly string[] {
  const { breakdowns = [] } = query ?? {};
  const hasTime = breakdowns.some((name) => findAnyBreakdown(name)?.time);
  const isDated = query?.split === 'day' && read.fields.includes('date');
  return isDated && !hasTime ? ['DAILY', ...breakdowns] : breakdowns;
}

/** Yields the rows, followed by a row with the sums of the rows that `--top` omits. */
async function* appendOthers(
  { groups }: View,
  kept: KeptRows,
  fields: readonly string[],
): AsyncGenerator<RowBatch> {
  const shown = new GroupedTotals([], (field) => groups.metrics.includes(field));
  for await (const batch of kept.batches(fields)) {
    shown.observe(batch);
    yield batch;
  }
  const all = groups.totals();
  const sums = shown.totals();
  const named = fields.find((field) => !groups.metrics.includes(field) && isNameField(field));
  const others = fields.map((field) => {
    if (field === (named ?? fields[0])) return JSON.stringify(othersLabel(kept.restCount));
    const sum = toDecimal(all.get(field));
    const part = toDecimal(sums.get(field));
    return String((part && sum?.minus(part)) ?? sum ?? null);
  });
  yield buildBatch(fields, [others], shown.rowCount);
}
