import type { OutputFlags, ServiceFlags } from '../../commands/flags.ts';
import type { Context } from '../../context.ts';
import {
  AdreportError,
  InterruptedError,
  RejectedError,
  ReportFailedError,
  StillInProgressError,
} from '../../errors.ts';
import { quoteForShell } from '../../text/quote-for-shell.ts';
import { noteGone } from './ledger-notes.ts';

/**
 * Runs what follows the birth of a report, so that whatever ends it early names the report and, where it can still be
 * had, the command that goes on with it; a report that is found to be gone is noted in the ledger.
 *
 * @param resume the command that goes on; `undefined` where none can, because the service ends with this process
 */
export async function withResumeHint<T>(
  context: Context,
  reportId: string,
  resume: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const { signal } = context.host;
  try {
    return await work();
  } catch (error) {
    // A cancelled operation may throw anything on its way out; the reason it ended is the signal.
    const reason = signal.aborted ? signal.reason : error;
    if (!(reason instanceof AdreportError)) throw reason;
    if (isGone(reason)) await noteGone(context, reportId);
    throw amended(reason, reportId, resume);
  }
}

/** Whether an error says that the service does not have the report any more. */
export function isGone(error: unknown): boolean {
  // A sign-in may be answered 404 too, which says nothing of the report.
  if (error instanceof RejectedError) return error.httpStatus === 404;
  return error instanceof ReportFailedError && (error.httpStatus === 410 || error.code === 'REPORT_EXPIRED');
}

function amended(error: AdreportError, reportId: string, resume: string | undefined): AdreportError {
  const goOn = resume === undefined ? undefined : `Go on with: ${resume}`;
  if (error instanceof InterruptedError || error instanceof StillInProgressError) {
    const sentence = error.message.includes(reportId) ? '' : `The report ${reportId} goes on being made.`;
    return error.amend(goOn ? sentence : '', { reportId, ...(goOn ? { hint: goOn } : {}) });
  }
  const isKept = resume !== undefined && (error.retryable || [3, 8].includes(error.exitCode));
  const hint = [error.hint, isKept ? `The report ${reportId} is kept. ${goOn}` : undefined].filter(Boolean).join('\n');
  return error.amend('', { reportId, ...(hint === '' ? {} : { hint }) });
}

/** The command line that waits for a report as the same account. */
export function waitCommand(id: string, options: ServiceFlags): string {
  return `adreport status ${quoted(id)} --wait${serviceFlagsOf(options)}`;
}

/**
 * The command line that fetches a report to the same place and in the same form as the one that asked for it.
 *
 * @param file the file's name, placeholders filled; `undefined` for stdout
 */
export function resumeCommand(id: string, options: ServiceFlags & OutputFlags, file: string | undefined): string {
  const output = flagsOf([
    ['-o', file],
    ['--format', options.format],
    ['--no-clobber', !options.clobber],
    ['--columns', options.columns],
    ['--normalize', options.normalize],
    ['--delimiter', options.delimiter],
    ['--decimal', options.decimal],
    ['--bom', options.bom],
    ['--excel', options.excel],
    ['--escape-formulas', options.escapeFormulas],
    ['--no-header', !options.header],
  ]);
  return `${waitCommand(id, options)} && adreport download ${quoted(id)}${serviceFlagsOf(options)}${output}`;
}

function serviceFlagsOf({ account, baseUrl }: ServiceFlags): string {
  return flagsOf([
    ['--account', account],
    ['--base-url', baseUrl],
  ]);
}

function flagsOf(flags: readonly (readonly [name: string, value: string | boolean | undefined])[]): string {
  return flags
    .map(([name, value]) => {
      if (value === undefined || value === false) return '';
      return value === true ? ` ${name}` : ` ${name} ${quoted(value)}`;
    })
    .join('');
}

/** A word as a shell reads it back; one that begins with a dash is told from a flag by nothing but its place. */
function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : quoteForShell(text);
}
