import { inspect } from 'node:util';
import { ServiceError } from '../service/service-error.ts';

/**
 * A mistake of the test in a fault: its `when` or `change` failed. The call is refused with it, and
 * `close()` rejects with it.
 */
export class FaultMistake extends ServiceError {
  constructor(reason: string) {
    super('FAULT_MISTAKE', `A fault of the test failed: ${reason}.`);
  }
}

/** Returns the first line of an error, or of anything else that a function of a test threw. */
export function describeThrown(thrown: unknown): string {
  const text = thrown instanceof Error ? String(thrown) : inspect(thrown);
  const [line = ''] = text.split('\n', 1);
  return line.replace(/\.$/, '');
}
