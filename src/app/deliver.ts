import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { ReportAnswer } from '../api/client.ts';
import type { Context } from '../context.ts';
import type { Column } from '../contract/columns.ts';
import { IncompleteDataError, UsageError } from '../errors.ts';
import type { EncodeOptions, Sink } from '../output/encoder.ts';
import { writeRows } from '../output/encoder.ts';
import { expandName, type NameValues, placeholdersOf } from '../output/file/file-name.ts';
import { checkTarget, openOutput } from '../output/file/output-file.ts';
import { ReplaySink } from '../output/file/replay-sink.ts';
import { createEncoder } from '../output/formats/index.ts';
import { reportCard } from '../output/table/report-card.ts';
import { checkCompleteness, type Expectation } from '../report/completeness.ts';
import type { Window } from '../report/window.ts';
import { describeWindow } from '../report/window.ts';
import { readRows } from '../rows/read-rows.ts';
import type { RowBatch, RowBatches } from '../rows/row-batch.ts';
import { visibleJson } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import type { Comparison } from '../view/comparison.ts';
import { FigureCounter, type Figures } from '../view/figures.ts';
import type { OutputFlags } from './flags.ts';
import { chooseFormat, columnsNamed, csvDialect, tableLook } from './output-flags.ts';

/** Where a report goes and in what form: decided and checked before anything is asked for. */
export interface Delivery {
  /** Takes a report's data to the output; called anew, from zero, for each try of a download. */
  readonly take: (answer: ReportAnswer, reportId?: string) => Promise<Delivered>;
  /** Takes rows to the output, of one report or of several that were merged. */
  readonly write: (batches: RowBatches, reportId?: string) => Promise<Delivered>;
  /** The file, as the user named it, placeholders filled; `undefined` for stdout. */
  readonly file: (reportId: string) => string | undefined;
}

/** An output that is whole. */
export interface Delivered {
  readonly rowCount: number;
  /** The size of what was written. */
  readonly sizeBytes: number;
  /** The file, as the user named it; `undefined` for stdout. */
  readonly file: string | undefined;
  /** The totals of the report, where a person at a terminal reads them. */
  readonly figures?: Figures;
  /** The earlier report that its figures are held against. */
  readonly comparison?: Comparison;
  /** What `--json` tells of a file besides. */
  readonly told?: {
    readonly reportId: string | null;
    readonly since: string | null;
    readonly until: string | null;
    readonly warnings: readonly string[];
  };
}

/** What is known of a report before its data comes. */
export interface ReportFacts {
  readonly names: NameValues;
  /** What was asked for, where that is known. */
  readonly window?: Window;
  /** What the request leads to: the header of an empty report. */
  readonly columns?: readonly Column[];
  /** What its rows are to be checked against; what is missing is said on stderr. */
  readonly expectation?: Omit<Expectation, 'nowMs'>;
  /** Whether a report that is found incomplete is an error, and no file is written. */
  readonly strict?: boolean;
  /** Gives the earlier report that this one is held against, once its rows come. */
  readonly comparison?: () => Comparison | undefined;
}

/** The code of the error for a whole document whose rows are not all there (`--strict`). */
export const incompleteReport = 'INCOMPLETE_REPORT';

/**
 * The delivery that the output flags describe. Throws `UsageError` for flags that do not fit, and `OutputError` for a
 * target that cannot be written. Its functions throw `OutputError`, and `IncompleteDataError` for data that is damaged,
 * or with `strict` not all there.
 */
export async function prepareDelivery(context: Context, flags: OutputFlags, facts: ReportFacts): Promise<Delivery> {
  const { expectation, strict = false } = facts;
  const format = chooseFormat(context, flags);
  if (flags.open && (flags.output === undefined || flags.output === '-')) {
    throw new UsageError('--open shows a file, and the output goes to stdout.', {
      hint: 'Add -o, for example -o report.html.',
    });
  }
  const computed = facts.columns?.find(({ metric, breakdown }) => metric === undefined && breakdown === undefined);
  if (computed && (format === 'json' || format === 'ndjson')) {
    throw new UsageError(`${computed.field} is computed here, and ${format} holds what the service sends.`, {
      hint: `Leave ${computed.field} out of --metrics, or write csv, parquet, xlsx, html or table.`,
    });
  }
  const target = await openTarget(context, flags, facts.names);
  const nowMs = context.host.wallClock();
  const hasCard = showsCard(context, flags);
  const options = encodeOptions(context, flags, facts);

  const write = async (
    batches: RowBatches,
    reportId?: string,
    observe?: (batch: RowBatch) => void,
  ): Promise<Delivered> => {
    const comparison = facts.comparison?.();
    const encoder = await createEncoder(format, {
      ...options,
      ...(comparison ? { comparison } : {}),
    });
    const check = expectation && checkCompleteness({ ...expectation, nowMs });
    const counter = hasCard ? new FigureCounter() : undefined;
    const output = await target.open(reportId);
    try {
      const { rowCount, sizeBytes, tail } = await writeRows({
        batches,
        encoder,
        sink: output,
        observe: (batch) => {
          observe?.(batch);
          check?.observe(batch);
          counter?.observe(batch);
        },
      });
      const problems = check?.problems(tail) ?? [];
      if (strict && problems.length > 0) throw incomplete(problems);
      await output.commit();
      // This is printed with -q too, because the report that was written is not the one that was asked for.
      for (const problem of problems)
        context.console.error(`${context.console.err.style.yellow('Warning:')} ${problem}`);
      const file = target.name(reportId);
      if (flags.open && file !== undefined) openFile(context, file);
      const { since, until } = facts.window
        ? describeWindow(facts.window)
        : (tail.summary ?? { since: null, until: null });
      const told = { reportId: reportId ?? null, since, until, warnings: problems };
      return {
        rowCount,
        sizeBytes,
        file,
        told,
        ...(counter ? { figures: counter.figures() } : {}),
        ...(comparison ? { comparison } : {}),
      };
    } catch (error) {
      await output.abort();
      throw error;
    }
  };

  const take: Delivery['take'] = async (answer, reportId) => {
    const meter = (await context.progress()).transfer('Downloading', answer.sizeBytes);
    let rows = 0;
    const body = counted(answer.body, (bytes) => meter.update({ bytes, rows }));
    try {
      return await write(readRows(body, { contentType: answer.contentType }), reportId, (batch) => {
        rows = batch.firstRow + batch.rowCount;
      });
    } finally {
      meter.stop();
    }
  };

  return { file: target.name, write, take };
}

function incomplete(problems: readonly string[]): IncompleteDataError {
  return new IncompleteDataError(problems.join(' '), {
    code: incompleteReport,
    // A second download would give the same report.
    retryable: false,
    hint: 'Run the command again later: it creates a new report. Without --strict this is a warning.',
  });
}

/** Whether a card with the figures of what was written is to be shown: to a person at a terminal, of a file. */
export function showsCard({ console, flags: { json, progress } }: Context, { output }: OutputFlags): boolean {
  const isFile = output !== undefined && output !== '-';
  return isFile && console.err.isTerminal && !console.isQuiet && !json && ['auto', 'bar'].includes(progress);
}

function encodeOptions(context: Context, flags: OutputFlags, facts: ReportFacts): EncodeOptions {
  const select = columnsNamed(flags);
  return {
    ...(facts.columns ? { columns: facts.columns } : {}),
    ...(select ? { select } : {}),
    ...(flags.normalize ? { normalize: true } : {}),
    ...(flags.title === undefined ? {} : { title: flags.title }),
    madeMs: context.host.wallClock(),
    csv: csvDialect(context, flags),
    table: tableLook(context, flags),
    note: context.console.note,
  };
}

/** The same bytes; `tell` hears after each piece how many there were so far. */
export async function* counted(body: AsyncIterable<Buffer>, tell: (bytes: number) => void): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    tell(bytes);
    yield piece;
  }
}

/** Where a report goes: a file that is whole or not there, or stdout. */
export interface OutputTarget {
  /** The file as the user named it, placeholders filled; `undefined` for stdout. */
  name(reportId?: string): string | undefined;
  /** Begins the output from its first byte; called again when a download starts again. */
  open(reportId?: string): Promise<Sink & { commit(): Promise<void>; abort(): Promise<void> }>;
}

/**
 * The target that `-o` names. Throws `UsageError` for a placeholder that is not known, and `OutputError`, before
 * anything is fetched, for a file that cannot be written or that `--no-clobber` keeps.
 */
export async function openTarget(context: Context, flags: OutputFlags, values: NameValues): Promise<OutputTarget> {
  const template = flags.output;
  if (template === undefined || template === '-') return stdoutTarget(context);
  const options = { noClobber: !flags.clobber };
  const name = (id?: string): string => expandName(template, id === undefined ? values : { ...values, id });
  const path = (id?: string): string => resolve(context.host.cwd, name(id));
  if (!placeholdersOf(template).includes('id')) await checkTarget(path(), options);
  return { name, open: (id) => openOutput(path(id), { ...options, signal: context.host.signal }) };
}

function stdoutTarget({ console }: Context): OutputTarget {
  const sink = new ReplaySink(console);
  return {
    name: () => undefined,
    async open() {
      sink.restart();
      return { write: (bytes) => sink.write(bytes), commit: async () => sink.finish(), abort: async () => {} };
    },
  };
}

/** Shows a file in the program that `BROWSER` names, or the one that the system has for it. */
function openFile({ host, console }: Context, file: string): void {
  const [command = '', ...args] = {
    darwin: ['open'],
    win32: ['cmd', '/c', 'start', '""'],
  }[process.platform as string] ?? ['xdg-open'];
  const { BROWSER: browser } = host.env;
  const child = spawn(browser || command, [...(browser ? [] : args), resolve(host.cwd, file)], {
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => console.warn(`No program was found to show ${file}: open it yourself.`));
  child.unref();
}

/**
 * Says on stderr what was written where, and its figures where they were counted; with `--json` a line of JSON on stdout.
 * It says nothing where the report went to stdout.
 */
export async function announce(context: Context, delivered: Delivered, options = { isBrief: false }): Promise<void> {
  const { console, elapsedMs, flags } = context;
  const { rowCount: rows, sizeBytes: bytes, file, figures, told } = delivered;
  if (file === undefined) return;
  if (flags.json) await console.result(visibleJson({ file, rows, bytes, ...told }));
  if (options.isBrief) return;
  console.note(
    `Wrote ${file}: ${formatPlural(rows, 'row')}, ${formatBytes(bytes)}, in ${formatDuration(elapsedMs())}.`,
  );
  if (figures) showCard(context, figures, delivered.comparison);
}

/** Shows the figures of what was written as a card on stderr, as wide as the terminal there. */
export function showCard({ console }: Context, figures: Figures, comparison?: Comparison): void {
  const { columns, style, showsUnicode } = console.err;
  for (const line of reportCard(figures, { columns, style, unicode: showsUnicode }, undefined, comparison)) {
    console.note(line);
  }
}
