import { UsageError } from '../../src/errors.ts';

/** The `UsageError` that a call throws; whatever else it does fails the test. */
export function refusalOf(call: () => unknown): UsageError {
  try {
    call();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
