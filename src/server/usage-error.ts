import { type ErrorDetails, UsageError } from '../errors.ts';

/** Puts the advice into the message, because test runners show nothing else of an error. */
export function usageError(
  sentence: string,
  advice: string,
  details: Pick<ErrorDetails, 'code' | 'cause'> = {},
): UsageError {
  return new UsageError(`${sentence} ${advice}`, details);
}
