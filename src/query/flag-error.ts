import { UsageError } from '../errors.ts';

/** Builds the error for a wrong flag or a wrong value. */
export function flagError(flag: string, message: string, hint: string): UsageError {
  return new UsageError(message, { about: { flag }, hint });
}
