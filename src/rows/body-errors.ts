import { type AdreportError, IncompleteDataError, RejectedError } from '../errors.ts';
import { printable } from '../text/printable.ts';

/** A count with its thousands marked: `1,234,567`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The body ended too early; `where` completes "The report ends …". */
export function endsEarly(where: string, receivedBytes: number): IncompleteDataError {
  return new IncompleteDataError(`The report ends ${where} (byte ${grouped(receivedBytes)}).`, {
    code: 'TRUNCATED',
    hint: 'Download it again.',
  });
}

/** The body is not what it should be; `what` is a sentence without its full stop. */
export function malformed(what: string, positionBytes: number): IncompleteDataError {
  return new IncompleteDataError(`${what} (byte ${grouped(positionBytes)}).`, {
    code: 'MALFORMED',
    hint: 'Download it again; if it stays so, the service sends a malformed report.',
  });
}

/**
 * A well-formed document without `data`: an error's (`decisions.md` 6), a status record, or something else.
 * @param members the document's members, or those of its `response`, as JSON
 */
export function noRows(members: ReadonlyMap<string, Buffer>): AdreportError {
  const member = (name: string): unknown => {
    const json = members.get(name);
    return json === undefined ? undefined : JSON.parse(json.toString());
  };
  const error = textOf(member('error')) ?? textOf(member('error_id')) ?? textOf(member('message'));
  const code = textOf(member('error_id'));
  const status = textOf(member('status'));
  if (error !== undefined && (members.has('error') || members.has('error_id') || status === undefined)) {
    return new RejectedError(
      `The service sent an error instead of the report: ${error}`,
      code === undefined ? {} : { code },
    );
  }
  if (status !== undefined) {
    return new IncompleteDataError(`The service sent a status ("${status}") instead of the report.`, {
      code: 'NO_DATA',
    });
  }
  return new IncompleteDataError('The document that the service sent is no report: it has no "data" array.', {
    code: 'NO_DATA',
    retryable: false,
  });
}

/** A string, or the `message` in an object, fit for one line of a terminal. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'message' in value) return textOf(value.message);
  return typeof value === 'string' && value !== '' ? printable(value.slice(0, 300)) : undefined;
}
