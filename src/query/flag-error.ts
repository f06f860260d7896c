import { UsageError } from '../errors.ts';

/** Returns the error for a flag whose value, or use, is a mistake. */
export function flagError(flag: string, message: string, hint: string): UsageError {
  return new UsageError(message, { about: { flag }, hint });
}
