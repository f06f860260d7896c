import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { requestOfMembers } from '../../report/member-words.ts';
import { valuesOf } from '../../rows/column-values.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import type { TakenFile } from './file-taker.ts';
import { type RowTaker, readReport } from './read-file.ts';

/** The maximum number of columns in a message. */
const columnsNamedAtMost = 5;

/**
 * Throws `UsageError` for two files whose columns or requests differ. A column without any value
 * does not count: JSON has every column of the service, CSV those that were requested.
 */
export async function expectAlike(
  context: Pick<Context, 'host'>,
  one: TakenFile,
  other: TakenFile,
): Promise<void> {
  const both = `${printable(one.file.shown)} and ${printable(other.file.shown)}`;
  const hint = 'View them one at a time.';
  const different = [
    ...(await filledColumns(context, one, columnsBeyond(one, other))),
    ...(await filledColumns(context, other, columnsBeyond(other, one))),
  ];
  if (different.length > 0) {
    const names = printable(different.slice(0, columnsNamedAtMost).join(', '));
    throw new UsageError(`${both} have different columns: only one of them has ${names}.`, {
      hint,
    });
  }

  const part = differentPart(requestOfFile(one), requestOfFile(other));
  if (part === undefined) return;
  throw new UsageError(`${both} are from different requests: their ${part} differ.`, { hint });
}

/** The columns of a file that another file does not have. */
function columnsBeyond({ read }: TakenFile, other: TakenFile): string[] {
  const known = new Set(other.read.taker.fields);
  return read.taker.fields.filter((field) => !known.has(field));
}

/** The columns that have a value in some row; reads the file again. */
async function filledColumns(
  context: Pick<Context, 'host'>,
  { source, read }: TakenFile,
  columns: readonly string[],
): Promise<string[]> {
  if (columns.length === 0) return [];
  if (read.taker.rowCount === 0) return [...columns];

  const { taker } = await readReport(context, source, {
    makeTaker: () => new ColumnTaker(columns),
    onBytes: () => {},
  });
  return columns.filter((column) => taker.filled.has(column));
}

/** Collects the names of columns that have a value. */
class ColumnTaker implements RowTaker {
  readonly needsDates = false;
  readonly filled = new Set<string>();
  readonly #columns: readonly string[];

  constructor(columns: readonly string[]) {
    this.#columns = columns;
  }

  observe(batch: RowBatch): void {
    for (const column of this.#columns) {
      if (this.filled.has(column) || !batch.fields.includes(column)) continue;
      const hasValue = valuesOf(batch, column).some((value) => value !== null && value !== '');
      if (hasValue) this.filled.add(column);
    }
  }
}

/** The parts that identify a request, as texts. */
type RequestParts = Readonly<Record<string, string>>;

/** The first part that is known for both requests and differs. */
function differentPart(one: RequestParts, other: RequestParts): string | undefined {
  return Object.keys(one).find((part) => part in other && one[part] !== other[part]);
}

/**
 * The request of a file from its history, or else from its own members; unknown parts are absent.
 */
function requestOfFile({ file, read }: TakenFile): RequestParts {
  const spec = file.entry?.own?.spec;
  const request = spec?.request ?? requestOfMembers(read.tail.members);
  const timezone = spec?.timezone ?? read.tail.summary?.timezone;
  return {
    ...(request && {
      profiles: request.profile,
      breakdowns: [...request.breakdowns].sort().join(','),
      filters: JSON.stringify(Object.entries(request.filters ?? {}).sort()),
    }),
    ...(timezone !== undefined && { 'time zones': timezone.toLowerCase() }),
    ...(spec && { 'window clocks': spec.windowClock ?? 'instant' }),
  };
}
