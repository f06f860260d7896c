import { inspect } from 'node:util';
import { ServiceError } from '../service/service-error.ts';

/**
 * A mistake of the test in a fault: its `when`, `change` or `answer` failed. The call is answered
 * with it, and `close()` rejects with it.
 */
export class FaultMistake extends ServiceError {
  constructor(reason: string) {
    super('FAULT_MISTAKE', `A fault of the test failed: ${reason}.`);
  }
}

/**
 * Encodes a value from a test. Throws `FaultMistake` if it is not JSON.
 *
 * @param origin names the value in the error
 */
export function encodeTestValue(value: unknown, origin: string): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    throw new FaultMistake(`${origin} is not JSON: ${describeThrown(error)}`);
  }

  if (json === undefined) throw new FaultMistake(`${origin} is ${typeof value}, which is not JSON`);
  return json;
}

/** Returns the first line of an error, or of anything else that a function of a test threw. */
export function describeThrown(thrown: unknown): string {
  const text = thrown instanceof Error ? String(thrown) : inspect(thrown);
  const [line = ''] = text.split('\n', 1);
  return line.replace(/\.$/, '');
}
