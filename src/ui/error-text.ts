import { AdreportError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import type { Style } from './style.ts';
import { visibleJson } from './visible-json.ts';

const bugHint =
  'This is a bug in adreport. Please report it, with the command that led here; -vv shows where it happened.';

/** What an error tells, whatever was thrown; anything that is not ours is a bug here (exit code 1). */
function describeError(error: unknown) {
  if (error instanceof AdreportError) {
    const { code, message, hint, retryable, exitCode, reportId } = error;
    return { code, message, hint: hint ?? null, retryable, exitCode, reportId: reportId ?? null };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: 'BUG', message, hint: bugHint, retryable: false, exitCode: 1, reportId: null };
}

/** An error for people: `adreport: what. why`, and what to do next on a line of its own. */
export function errorText(error: unknown, style: Style): string {
  const { message, hint } = describeError(error);
  const lines = [`${style.red(style.bold('adreport:'))} ${indented(message)}`];
  if (hint) lines.push(`  ${indented(hint)}`);
  return lines.join('\n');
}

/** Where a bug happened, for whoever mends it; nothing for an error that is the user's to act on. */
export function bugTrace(error: unknown): string | undefined {
  return error instanceof AdreportError || !(error instanceof Error) ? undefined : error.stack;
}

/** An error for programs: one line of JSON, every member present (null where there is nothing to say; `cli.md`, Streams). */
export function errorJson(error: unknown): string {
  return visibleJson({ error: describeError(error) });
}

// A message may quote the service, whose lines must not look like ours.
function indented(text: string): string {
  return text.split('\n').map(printable).join('\n  ');
}
