import type { Context } from '../context.ts';
import { checkFormat, csvDialect, openTarget, tableLook } from '../deliver/deliver.ts';
import { pageExtras } from '../deliver/page-extras.ts';
import { UsageError } from '../errors.ts';
import { encodeTable, type FormatName } from '../formats/index.ts';
import type { OutputFlags } from '../plan/flags/output-flags.ts';
import { type TextColumn, textTable } from '../present/terminal/table-layout.ts';
import { didYouMean, nearest } from '../text/nearest.ts';

/** A record of a list as its columns show it. */
export type ListRow = Readonly<Record<string, string | number>>;

/** A column of a list, which shows the member of its name. */
export type ListColumn = Omit<TextColumn<ListRow>, 'value'>;

/** What a list can show. */
interface ListLayout {
  /** The columns that `--columns` can name, in the order of a file. */
  readonly columns: readonly ListColumn[];

  /** The columns of a table for people where none are chosen, which may be others. */
  readonly tableColumns: readonly ListColumn[];
}

/** Records, once they are there. */
interface ListContent {
  readonly rows: readonly ListRow[];

  /**
   * What JSON holds in place of the rows where no columns are chosen: the records as the service
   * sends them.
   */
  readonly records?: readonly object[];

  /** The sentence for people where there are none. */
  readonly emptyNote: string;
}

/**
 * A list of records on its way to where the output flags lead: in any format, to a file or to
 * stdout.
 */
export interface RecordList {
  /** Writes the list. Throws `OutputError`; then nothing is left of a file that was begun. */
  write(content: ListContent): Promise<void>;
}

/**
 * Decides the format, the columns and the target of a list before the service is asked. Throws
 * `UsageError` for flags that do not fit and for an unknown column, and `OutputError` for a target
 * that cannot be written.
 */
export async function prepareList(
  context: Context,
  options: OutputFlags,
  layout: ListLayout,
): Promise<RecordList> {
  const format = checkFormat(context, options);
  const columns = columnsOf(layout, options, format);
  const target = await openTarget(context, options, {
    names: { account: await context.account.name() },
  });

  async function encode({ rows, records }: ListContent): Promise<Buffer> {
    if (format === 'table') {
      return Buffer.from(textTable(rows, columns, tableLook(context, options)));
    }
    if (format === 'json' || format === 'ndjson') {
      const isAsSent = records !== undefined && options.columns === undefined;
      return encodeJson(format, isAsSent ? records : rows.map((row) => pick(row, columns)));
    }

    const csv = csvDialect(context, options);
    const extras = pageExtras(context, options, format);
    return encodeTable(format, rows, columns, { csv, note: context.console.note, ...extras });
  }

  async function write(content: ListContent): Promise<void> {
    const output = await target.open();
    try {
      await output.write(await encode(content));
      await output.finish();
      await output.place();
    } catch (error) {
      await output.abort();
      throw error;
    }

    if (content.rows.length === 0) context.console.note(content.emptyNote);
  }

  return { write };
}

/**
 * The columns that `--columns` names, in any case; where it names none, the usual ones of the
 * format.
 */
function columnsOf(
  { columns, tableColumns }: ListLayout,
  { columns: selectedColumns }: OutputFlags,
  format: FormatName,
): TextColumn<ListRow>[] {
  if (selectedColumns === undefined) return withValues(format === 'table' ? tableColumns : columns);
  if (selectedColumns === 'all') return withValues(columns);

  const wanted = selectedColumns.map((name) => findColumn(columns, name));
  return withValues(wanted);
}

function withValues(columns: readonly ListColumn[]): TextColumn<ListRow>[] {
  return columns.map((column) => ({ ...column, value: (row) => row[column.name] }));
}

function findColumn(columns: readonly ListColumn[], wanted: string): ListColumn {
  const column = columns.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (column) return column;

  const names = columns.map(({ name }) => name);
  const hint = didYouMean(nearest(wanted, names), `Known are ${names.join(', ')}.`);
  throw new UsageError(`--columns: there is no column “${wanted}”.`, { hint });
}

/** The members of a row that the columns name, in their order. */
function pick(row: ListRow, columns: readonly TextColumn<ListRow>[]): object {
  return Object.fromEntries(columns.map(({ name, value }) => [name, value(row)]));
}

/** Records as an array of JSON, or as lines of it: one record a line in either. */
function encodeJson(format: 'json' | 'ndjson', records: readonly object[]): Buffer {
  const lines = records.map((record) => JSON.stringify(record));

  if (format === 'ndjson') return Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return Buffer.from(lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`);
}
