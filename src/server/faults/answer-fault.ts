import { validateHeaderName, validateHeaderValue } from 'node:http';
import { extname } from 'node:path';
import { UsageError } from '../../errors.ts';
import { quoted } from '../../text/printable.ts';
import { readSmallFile } from '../../text/small-file.ts';
import { type Answer, jsonType } from '../answer.ts';
import { type FaultKind, httpStatus } from './fault-kind.ts';

const fileBytesAtMost = 1024 * 1024;

const textType = 'text/plain; charset=utf-8';

/** The media types of files, by their endings. */
const typesByEnding: Readonly<Record<string, string>> = {
  '.json': jsonType,
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
};

/** Headers that follow from the body, or would break the connection. */
const ownHeaders = ['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade'];

/** The service does its work, and another answer is sent. */
export const answerKind: FaultKind = {
  meaning: 'the service does its work, and your own answer is sent instead',
  keys: {
    status: httpStatus,
    type: {
      what: 'media type',
      example: 'text/csv',
      read: (text) => (isHeader('content-type', text) && text.includes('/') ? text : undefined),
    },
    file: {
      what: 'file',
      example: 'answer.json',
      takesRest: true,
      isOfHost: true,
      read: (text) => (text === '' ? undefined : text),
    },
  },
  needs: 'file',
  takes: 'answer',
  effect({ values, answer }) {
    const file = values.text('file');
    const body = file === undefined ? answer?.body : readAnswerFile(file);
    const stub = stubOf({
      body,
      headers: answer?.headers ?? {},
      status: onlyOne('status', values.number('status'), answer?.status) ?? 200,
      type: values.text('type') ?? typesByEnding[extname(file ?? '').toLowerCase()],
    });
    return { heldBytes: stub.body.length, replace: (reportId) => withReportId(stub, reportId) };
  },
};

function readAnswerFile(file: string): Buffer {
  try {
    return readSmallFile(file, fileBytesAtMost);
  } catch (cause) {
    throw new UsageError(`Cannot read ${quoted(file)}: ${(cause as Error).message}.`, {
      code: 'BAD_FAULT',
      hint: 'file= takes a file of at most 1 MiB that holds the body to send.',
      cause,
    });
  }
}

interface Stub extends Answer {
  readonly body: Buffer;
}

/** The one of two values that was given. Throws `UsageError` where both were. */
function onlyOne<Value>(name: string, a: Value | undefined, b: Value | undefined) {
  if (a !== undefined && b !== undefined) throw wrongAnswer(`${name} is given twice`, 'Give one.');
  return a ?? b;
}

interface StubParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** The media type; where absent, that of the headers, or what goes with the body. */
  readonly type: string | undefined;
  readonly body: unknown;
}

/** The answer that is sent. Throws `UsageError`. */
function stubOf({ status, headers, type, body }: StubParts): Stub {
  if (body === undefined) throw wrongAnswer('it has no body', 'Give body; "" is an empty one.');
  if (httpStatus.read(String(status)) === undefined) {
    throw wrongAnswer(`status is ${String(status).slice(0, 40)}`, `Give an ${httpStatus.what}.`);
  }

  const others: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    assertHeader(key, value);
    others[key] = value;
  }
  const { 'content-type': typeInHeaders, ...rest } = others;

  const isText = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = Buffer.from(isText ? body : JSON.stringify(body));
  const ownType = onlyOne('the media type', type, typeInHeaders);
  return {
    status,
    headers: rest,
    type: ownType ?? (isText ? textType : jsonType),
    body: bytes,
    ...(status >= 400 && { why: 'A fault was asked for: this answer is sent instead.' }),
  };
}

function assertHeader(name: string, value: unknown): void {
  const word = quoted(name);
  if (ownHeaders.includes(name)) {
    throw wrongAnswer(`the server sets the header ${word} itself`, 'Leave it out.');
  }
  if (typeof value !== 'string' || !isHeader(name, value)) {
    throw wrongAnswer(`the header ${word} cannot be sent`, 'A header is a name and a text.');
  }
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

function wrongAnswer(reason: string, hint: string): UsageError {
  return new UsageError(`The answer of the fault is wrong: ${reason}.`, {
    code: 'BAD_FAULT',
    hint,
  });
}

/** The answer with the id of its report in place of `{id}`. */
function withReportId(stub: Stub, reportId: string | undefined): Answer {
  if (reportId === undefined || !stub.body.includes('{id}')) return stub;

  const isJson = /[/+]json\b/i.test(stub.type);
  const id = isJson ? JSON.stringify(reportId).slice(1, -1) : reportId;
  // Latin-1 keeps every byte of a body, whatever it is.
  const idBytes = Buffer.from(id).toString('latin1');
  const body = stub.body.toString('latin1').replaceAll('{id}', () => idBytes);
  return { ...stub, body: Buffer.from(body, 'latin1') };
}
