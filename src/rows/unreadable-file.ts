import { IncompleteDataError, RejectedError, UsageError } from '../errors.ts';
import { printable } from '../text/printable.ts';

const readable =
  'adreport view reads JSON, NDJSON, CSV with a header row, and Parquet; each of the first three also as .gz.';

/** An error whose message names its file already. */
class NoReportError extends IncompleteDataError {}

/** The error for a file that holds something else; `what` is a sentence without its full stop. */
export function noReport(what: string, shown: string): IncompleteDataError {
  return new NoReportError(`${printable(shown)} is no report: ${what}.`, {
    code: 'NO_DATA',
    retryable: false,
    hint: readable,
  });
}

/** The error for a file that does not hold what its form promises: `It is no whole Parquet file: …`. */
export function damaged(what: string, cause: unknown): IncompleteDataError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new IncompleteDataError(`${what}: ${reason}.`, { code: 'TRUNCATED', cause });
}

/** The error for Parquet that comes through a pipe. */
export function parquetInPipe(): UsageError {
  return new UsageError('Parquet cannot be read from a pipe: its table of contents stands at its end.', {
    hint: 'Give the name of the file.',
  });
}

/**
 * What reading a file threw, as an error that names the file as the user did, and does not advise to ask the service
 * again: `UsageError` where the system gives no access to it, `IncompleteDataError` where it is no whole report. What
 * has nothing to do with the file stays as it is.
 */
export function inFile(error: unknown, shown: string): unknown {
  if (error instanceof Error && 'syscall' in error) return noAccess(error, shown);
  if (error instanceof RejectedError) return noReport('it holds an error of the service', shown);
  if (!(error instanceof IncompleteDataError) || error instanceof NoReportError) return error;
  if (error.code === 'NO_DATA') return noReport('it is a JSON document without rows', shown);
  const isCut = error.code === 'TRUNCATED';
  return new IncompleteDataError(`${printable(shown)}: ${error.message}`, {
    code: error.code,
    retryable: false,
    hint: isCut ? 'The file was cut off on its way: fetch the report again.' : `Is it a report? ${readable}`,
    cause: error,
  });
}

const reasons: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOENT: ['does not exist', 'Check the name; adreport run … -o FILE writes one.'],
  ENOTDIR: ['does not exist', 'A part of its path is a file, not a folder.'],
  EISDIR: ['is a folder', 'Give the name of a report file in it.'],
  EACCES: ['may not be read', "Check the file's permissions."],
  EPERM: ['may not be read', "Check the file's permissions."],
};

function noAccess(error: Error, shown: string): UsageError {
  const code = 'code' in error ? String(error.code) : '';
  const otherwise = [`cannot be read (${error.message})`, 'Check that it is a file, and on a disk in order.'] as const;
  const [what, hint] = reasons[code] ?? otherwise;
  return new UsageError(`${printable(shown)} ${what}.`, { code, hint, cause: error });
}
