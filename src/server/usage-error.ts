import { type ErrorDetails, UsageError } from '../errors.ts';

/**
 * An error of a caller, with the advice in its message: of an error in a test, test runners show
 * nothing else.
 */
export function usageError(
  sentence: string,
  advice: string,
  details: Pick<ErrorDetails, 'code' | 'cause'> = {},
): UsageError {
  return new UsageError(`${sentence} ${advice}`, details);
}
