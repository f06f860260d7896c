import { UsageError } from '../errors.ts';
import { encodeTable } from '../formats/index.ts';
import { printerFor } from '../formats/page-extras.ts';
import { openTarget } from '../output/target.ts';
import { type TextColumn, textTable } from '../present/terminal/text-table.ts';
import type { OptionsOf } from '../query/flags/flag.ts';
import type { listOutputFlags } from '../query/flags/output-flags.ts';
import type { FormatName } from '../query/format-names.ts';
import { closestHint, readName } from '../query/names.ts';
import type { Context } from '../run/context.ts';
import { chooseOutputs } from '../run/prepare-files.ts';
import { quoted } from '../text/printable.ts';

/** A record as its columns show it. */
export type ListRow = Readonly<Record<string, string | number>>;

/** A column, which shows the property of its name. */
export type ListColumn = Omit<TextColumn<ListRow>, 'value'>;

type ListOptions = OptionsOf<typeof listOutputFlags>;

interface ListLayout {
  /** Columns of files, which `--columns` can name. */
  readonly columns: readonly ListColumn[];

  /** Columns of tables without `--columns`. */
  readonly tableColumns: readonly ListColumn[];
}

interface ListContent {
  readonly rows: readonly ListRow[];

  /** The service's own records, for JSON without `--columns`. */
  readonly records?: readonly object[];

  /** Note for an empty list. */
  readonly emptyNote: string;
}

/**
 * Prepares the format, columns and target of a list before any call. Throws `UsageError` for flags
 * that do not fit and for unknown columns, and `OutputError` for a target that cannot be written.
 * Returns a function that writes the list; if that throws `OutputError`, it leaves no file.
 */
export async function prepareList(
  context: Context,
  options: ListOptions,
  layout: ListLayout,
): Promise<(content: ListContent) => Promise<void>> {
  const [{ path, format }] = chooseOutputs(context, options);
  const columns = chooseColumns(layout, options, format);
  const names = { account: await context.account.name() };
  const { console, host } = context;
  const target = await openTarget(
    { host, stdout: console },
    { path, names, clobber: options.clobber },
  );

  async function encode({ rows, records }: ListContent): Promise<Buffer> {
    if (format === 'table') {
      return Buffer.from(textTable(rows, columns, path === '-' ? console.out.look : {}));
    }
    if (format === 'json' || format === 'ndjson') {
      const isAsSent = records !== undefined && options.columns === undefined;
      return encodeJson(format, isAsSent ? records : rows.map((row) => pick(row, columns)));
    }

    return encodeTable(format, rows, columns, {
      excel: options.excel,
      isShown: path === '-' && console.out.isTerminal,
      printer: printerFor(format, context.host),
      note: context.console.note,
    });
  }

  return async (content) => {
    const output = await target.open();
    try {
      await output.write(await encode(content));
      await output.commit();
    } catch (error) {
      await output.abort();
      throw error;
    }

    if (content.rows.length === 0) context.console.note(content.emptyNote);
  };
}

/** Finds the columns of `--columns`, in any case, or the default ones of the format. */
function chooseColumns(
  { columns, tableColumns }: ListLayout,
  { columns: selectedColumns }: ListOptions,
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

function findColumn(columns: readonly ListColumn[], text: string): ListColumn {
  const accepted = columns.map(({ name }) => name);
  const wanted = readName({ flag: '--columns', text, accepted });
  const column = columns.find(({ name }) => name === wanted);
  if (column) return column;

  throw new UsageError(`Unknown column ${quoted(text)}.`, {
    hint: closestHint({ text, accepted }, `Choose from ${accepted.join(', ')}.`),
    about: { flag: '--columns', value: text },
  });
}

/** Copies the properties of a row in the order of columns. */
function pick(row: ListRow, columns: readonly TextColumn<ListRow>[]): object {
  return Object.fromEntries(columns.map(({ name, value }) => [name, value(row)]));
}

/** Encodes records as a JSON array or as NDJSON, one per line in either. */
function encodeJson(format: 'json' | 'ndjson', records: readonly object[]): Buffer {
  const lines = records.map((record) => JSON.stringify(record));

  if (format === 'ndjson') return Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return Buffer.from(lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`);
}
