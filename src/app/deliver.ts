import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { ReportAnswer } from '../api/client.ts';
import type { Context } from '../context.ts';
import type { Column } from '../contract/columns.ts';
import { IncompleteDataError, UsageError } from '../errors.ts';
import { type CsvDialect, writeRows } from '../output/encoder.ts';
import { expandName, type NameValues, placeholdersOf } from '../output/file/file-name.ts';
import { checkTarget, openOutput } from '../output/file/output-file.ts';
import { ReplaySink } from '../output/file/replay-sink.ts';
import { csvDialectOf } from '../output/formats/csv.ts';
import {
  createEncoder,
  type FormatName,
  formatNames,
  formatOfFile,
  formats,
} from '../output/formats/index.ts';
import { reportCard } from '../output/table/report-card.ts';
import { checkCompleteness, type Expectation } from '../report/completeness.ts';
import { describeWindow } from '../report/window.ts';
import { readRows } from '../rows/read-rows.ts';
import { type RowBatches, rowsOf } from '../rows/row-batch.ts';
import { visibleJson } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import type { Comparison } from '../view/figures.ts';
import { Grouping } from '../view/grouping.ts';
import { type Flag, longNameOf } from './flags/flag.ts';
import { type OutputFlags, outputFlags } from './flags/output-flags.ts';

/**
 * What is known of a report before its data comes: the columns that the request leads to, what its rows are to be checked
 * against, and what gives the earlier report that this one is held against, once its rows come.
 */
export interface ReportFacts {
  readonly names: NameValues;
  readonly columns?: readonly Column[];
  readonly expectation?: Omit<Expectation, 'nowMs'>;
  readonly comparison?: () => Comparison | undefined;
}

/** Where a report goes and in what form: decided and checked before anything is asked for. */
export type Delivery = Awaited<ReturnType<typeof prepareDelivery>>;

/** An output that is whole. */
export type Delivered = Awaited<ReturnType<Delivery['write']>>;

/** The code of the error for a whole document whose rows are not all there (`--strict`). */
export const incompleteReport = 'INCOMPLETE_REPORT';

/**
 * The delivery that the output flags describe. Throws `UsageError` for flags that do not fit, and `OutputError` for a target
 * that cannot be written. Its functions throw `OutputError`, and `IncompleteDataError` for data that is damaged, or with
 * `strict` not all there.
 */
export async function prepareDelivery(
  context: Context,
  flags: OutputFlags & { readonly strict?: boolean },
  { names, columns, expectation, comparison: compare }: ReportFacts,
) {
  const { console, host } = context;
  const format = chooseFormat(context, flags);
  if (flags.open && isStdout(flags)) {
    const hint = 'Add -o, for example -o report.html.';
    throw new UsageError('--open shows a file, and the output goes to stdout.', { hint });
  }
  const computed = columns?.find(
    ({ metric, breakdown }) => metric === undefined && breakdown === undefined,
  );
  if (computed && formats[format].isServiceDocument) {
    const hint = `Leave ${computed.field} out of --metrics, or write csv, parquet, xlsx, html or table.`;
    throw new UsageError(
      `${computed.field} is computed here, and ${format} holds what the service sends.`,
      { hint },
    );
  }
  const nowMs = host.wallClock();
  const { columns: selectedColumns, normalize, title } = flags;
  const looks = { csv: csvDialect(context, flags), table: tableLook(context, flags) };
  const options = {
    columns,
    selectedColumns,
    normalize,
    title,
    madeMs: nowMs,
    ...looks,
    note: console.note,
  };
  const target = await openTarget(context, flags, names);

  /** Takes rows to the output, of one report or of several that were merged; called anew, from zero, for each try. */
  const write = async (batches: RowBatches, reportId?: string) => {
    const comparison = compare?.();
    const encoder = await createEncoder(format, { ...options, comparison });
    const check = expectation && checkCompleteness({ ...expectation, nowMs });
    const counter = showsCard(context, flags) ? new Grouping('time') : undefined;
    const output = await target.open(reportId);
    try {
      const { rowCount, sizeBytes, tail } = await writeRows(batches, encoder, output, (batch) => {
        check?.observe(batch);
        counter?.observe(rowsOf(batch), batch.fields);
      });
      const warnings = check?.problems(tail) ?? [];
      if (flags.strict && warnings.length > 0) {
        throw new IncompleteDataError(warnings.join(' '), {
          code: incompleteReport,
          // A second download would give the same report.
          retryable: false,
          hint: 'Run the command again later: it creates a new report. Without --strict this is a warning.',
        });
      }
      await output.commit();
      // This is printed with -q too, because the report that was written is not the one that was asked for.
      for (const warning of warnings)
        console.error(`${console.err.style.yellow('Warning:')} ${warning}`);
      const file = target.name(reportId);
      if (flags.open && file !== undefined) openFile(context, file);
      const window = expectation ? describeWindow(expectation.window) : tail.summary;
      const { since = null, until = null } = window ?? {};
      // What `--json` tells of a file.
      const told = {
        file,
        rows: rowCount,
        bytes: sizeBytes,
        reportId: reportId ?? null,
        since,
        until,
        warnings,
      };
      return { told, figures: counter, comparison };
    } catch (error) {
      await output.abort();
      throw error;
    }
  };

  const take = (answer: ReportAnswer, reportId?: string) =>
    write(download(context, answer), reportId);
  return { file: target.name, write, take };
}

/** The rows of a download, which is shown as it goes on. */
export async function* download(
  context: Context,
  { body, contentType, sizeBytes }: ReportAnswer,
): RowBatches {
  const meter = (await context.progress()).transfer('Downloading', sizeBytes);
  let [bytes, rows] = [0, 0];
  async function* metered(): AsyncGenerator<Buffer> {
    for await (const piece of body) {
      bytes += piece.length;
      meter.update({ bytes, rows });
      yield piece;
    }
  }
  const batches = readRows(metered(), { contentType });
  try {
    for (;;) {
      const next = await batches.next();
      if (next.done) return next.value;
      rows = next.value.firstRow + next.value.rowCount;
      yield next.value;
    }
  } finally {
    meter.stop();
    await batches.return?.();
  }
}

function isStdout({ output = '-' }: { readonly output?: string }): boolean {
  return output === '-';
}

/** As told, else by the file's ending, else a table on a terminal and CSV in a pipe. Throws `UsageError`. */
export function chooseFormat({ console }: Context, flags: OutputFlags): FormatName {
  const { isTerminal } = console.out;
  const { output = '-' } = flags;
  const ending = /[^./\\](\.[^./\\]+)$/.exec(output)?.[1];
  const usual = isStdout(flags) && isTerminal ? 'table' : ending === undefined ? 'csv' : undefined;
  const format = flags.format ?? formatOfFile(output) ?? usual;
  if (!format) {
    const hint = `Say which with --format. Known are ${formatNames.join(', ')}.`;
    throw new UsageError(`-o ${output}: the ending ${ending} means no format.`, { hint });
  }
  if (formats[format].isBinary && isTerminal && isStdout(flags)) {
    const hint = `Write it to a file: -o report.${format}, or > report.${format}.`;
    throw new UsageError(`${format} is no text: a terminal cannot show it.`, { hint });
  }
  return format;
}

/** Chooses the format, and says which flags of CSV it has no use for. Throws `UsageError` for flags that do not fit. */
export function checkFormat(context: Context, flags: OutputFlags): FormatName {
  csvDialectOf(flags);
  const format = chooseFormat(context, flags);
  const uselessFlags = flagsWithoutUse(flags, format);
  if (uselessFlags.length > 0) {
    const list = uselessFlags.join(', ');
    context.console.warn(`The output is ${format}: ${list} would change CSV alone.`);
  }
  return format;
}

/** The flags that were given although they change other formats only. */
function flagsWithoutUse(options: OutputFlags, format: FormatName): string[] {
  const values: Readonly<Record<string, unknown>> = options;
  const names: string[] = [];

  for (const [name, flag] of Object.entries<Flag>(outputFlags.flags)) {
    const value = values[name];
    const isNegated = flag.flags.startsWith('--no-');
    const isGiven = isNegated ? value === false : Boolean(value);
    if (isGiven && flag.formats && !flag.formats.includes(format)) {
      names.push(longNameOf(flag));
    }
  }
  return names;
}

/** The dialect that the flags describe; a terminal shows no control character. Throws `UsageError`. */
export function csvDialect({ console }: Context, flags: OutputFlags): CsvDialect {
  return { ...csvDialectOf(flags), shown: console.out.isTerminal && isStdout(flags) };
}

/** How a table is to look: as the terminal can show it; in a pipe as wide as `COLUMNS` says, in a file as wide as it is. */
export function tableLook({ console, host }: Context, flags: { readonly output?: string } = {}) {
  const { isTerminal, width, style, showsUnicode } = console.out;
  if (!isStdout(flags)) return {};
  return {
    width: isTerminal || host.env.COLUMNS ? width : undefined,
    style,
    unicode: showsUnicode,
  };
}

/**
 * The target that `-o` names: its file, `undefined` for stdout, and what begins the output, anew for each try of a download.
 * Throws `UsageError`, and `OutputError` for a file that cannot be written or that `--no-clobber` keeps.
 */
export async function openTarget(context: Context, flags: OutputFlags, values: NameValues) {
  const { output: template = '-' } = flags;
  if (isStdout(flags)) {
    const sink = new ReplaySink(context.console);
    const output = {
      write: sink.write.bind(sink),
      commit: async () => sink.finish(),
      abort: async () => {},
    };
    const open = async (_id?: string) => {
      sink.restart();
      return output;
    };
    return { name: (_id?: string) => undefined, open };
  }
  const options = { noClobber: !flags.clobber };
  const name = (id?: string): string =>
    expandName(template, id === undefined ? values : { ...values, id });
  const path = (id?: string): string => resolve(context.host.cwd, name(id));
  if (!placeholdersOf(template).includes('id')) await checkTarget(path(), options);
  return {
    name,
    open: (id?: string) => openOutput(path(id), { ...options, signal: context.host.signal }),
  };
}

/** Shows a file in the program that `BROWSER` names, or the one that the system has for it. */
function openFile({ host, console }: Context, file: string): void {
  const own: Partial<Record<NodeJS.Platform, string[]>> = {
    darwin: ['open'],
    win32: ['cmd', '/c', 'start', '""'],
  };
  const { BROWSER } = host.env;
  const [command = '', ...args] = BROWSER ? [BROWSER] : (own[process.platform] ?? ['xdg-open']);
  const child = spawn(command, [...args, resolve(host.cwd, file)], {
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => console.warn(`${file} could not be opened: there is no ${command}.`));
  child.unref();
}

/** Says on stderr what was written to a file and shows a person its figures; with `--json` tells it on stdout. */
export async function announce(
  context: Context,
  { told, figures, comparison }: Delivered,
  isBrief = false,
) {
  const { console, elapsedMs, flags } = context;
  if (told.file === undefined) return;
  if (flags.json) await console.result(visibleJson(told));
  if (isBrief) return;
  const size = `${formatPlural(told.rows, 'row')}, ${formatBytes(told.bytes)}`;
  console.note(`Wrote ${told.file}: ${size}, in ${formatDuration(elapsedMs())}.`);
  if (figures) showCard(context, figures, comparison);
}

/** Whether a card with the figures of what was written is to be shown: to a person at a terminal, of a file. */
export function showsCard(
  { console, flags: { json, progress } }: Context,
  flags: OutputFlags,
): boolean {
  const isWatched = console.err.isTerminal && !console.isQuiet && !json;
  return !isStdout(flags) && isWatched && ['auto', 'bar'].includes(progress);
}

/** Shows the figures of what was written as a card on stderr, as wide as the terminal there. */
export function showCard({ console }: Context, figures: Grouping, comparison?: Comparison): void {
  const { width, style, showsUnicode: unicode } = console.err;
  for (const line of reportCard(figures, { width, style, unicode }, { comparison }))
    console.note(line);
}
