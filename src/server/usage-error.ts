import { type ErrorDetails, UsageError } from '../errors.ts';
import { findIssue, type MemberCheck } from '../text/check-members.ts';

/** Builds an error with the advice in its message, because test runners show only the message. */
export function usageError(
  message: string,
  advice: string,
  details: Pick<ErrorDetails, 'code' | 'cause'> = {},
): UsageError {
  return new UsageError(`${message} ${advice}`, details);
}

/** Throws `UsageError` if an object from a test has an unknown or invalid key. */
export function requireMembers(
  object: unknown,
  checks: Readonly<Record<string, MemberCheck>>,
  { noun, code = 'USAGE' }: { readonly noun: string; readonly code?: string },
): void {
  const issue = findIssue(object, checks, noun);
  if (!issue) return;
  const { message, hint } = issue;
  throw hint === undefined
    ? new UsageError(message, { code })
    : usageError(message, hint, { code });
}
