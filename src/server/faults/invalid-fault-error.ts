import { inspect } from 'node:util';
import { ServiceError } from '../service/service-error.ts';

/**
 * An issue in a test's fault: its `when` or `change` failed. The call responds with this error,
 * and `close()` rejects with it.
 */
export class InvalidFaultError extends ServiceError {
  constructor(reason: string) {
    super('FAULT_MISTAKE', `A fault of the test failed: ${reason}.`);
  }
}

/** Returns the first line of the error or value that a test's function threw. */
export function describeThrown(thrown: unknown): string {
  const text = thrown instanceof Error ? String(thrown) : inspect(thrown);
  const [line = ''] = text.split('\n', 1);
  return line.replace(/\.$/, '');
}
