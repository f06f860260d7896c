import { validateHeaderName, validateHeaderValue } from 'node:http';
import { extname } from 'node:path';
import type { UsageError } from '../../errors.ts';
import { quoted } from '../../text/printable.ts';
import { readSmallFile } from '../../text/small-file.ts';
import { type Answer, jsonType } from '../http-answer.ts';
import { usageError } from '../usage-error.ts';
import { type FaultKind, httpStatus } from './fault-kind.ts';
import { encodeTestValue, FaultMistake } from './fault-mistake.ts';

const maxFileBytes = 1024 * 1024;

const textType = 'text/plain; charset=utf-8';

const typesByEnding: Readonly<Record<string, string>> = {
  '.json': jsonType,
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
};

/** Headers that depend on the body, or that would break the connection. */
const ownHeaders = ['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade'];

/** Replaces the service's response. The service still does its work. */
export const answerKind: FaultKind = {
  meaning: 'sends your response instead; the request is still processed',
  keys: {
    status: httpStatus,
    type: {
      label: 'media type',
      example: 'text/csv',
      read: (text) => (isHeader('content-type', text) && text.includes('/') ? text : undefined),
    },
    file: {
      label: 'file',
      example: 'answer.json',
      takesRest: true,
      isLocalOnly: true,
      read: (text) => (text === '' ? undefined : text),
    },
  },
  requires: 'file',
  takes: 'answer',
  effect({ values, answer }) {
    // As read by the keys above.
    const { status, type, file } = values as { status?: number; type?: string; file?: string };
    const body = file === undefined ? answer?.body : readAnswerFile(file);
    const parts = {
      headers: answer?.headers ?? {},
      status: eitherOf('status', status, answer?.status) ?? 200,
      type: type ?? typesByEnding[extname(file ?? '').toLowerCase()],
    };

    try {
      const stub = createStub(body, parts);
      return { replace: (reportId) => withReportId(stub, reportId) };
    } catch (mistake) {
      if (!(mistake instanceof FaultMistake)) throw mistake;
      return {
        replace() {
          throw mistake;
        },
      };
    }
  },
};

function readAnswerFile(file: string): Buffer {
  try {
    return readSmallFile(file, maxFileBytes);
  } catch (cause) {
    const sentence = `Cannot read ${quoted(file)}: ${(cause as Error).message}.`;
    const advice = 'Set file= to a file of at most 1 MiB. Its content is the body to send.';
    throw usageError(sentence, advice, { code: 'BAD_FAULT', cause });
  }
}

interface Stub extends Answer {
  readonly body: Buffer;
}

/** Throws `UsageError` if both are defined. */
function eitherOf<Value>(name: string, a: Value | undefined, b: Value | undefined) {
  if (a !== undefined && b !== undefined)
    throw invalidAnswer(`${name} is set twice`, 'Set it once.');
  return a ?? b;
}

/**
 * Throws `UsageError`, and `FaultMistake` for a body that is not JSON.
 *
 * @param type by default that in the headers, or one that fits the body
 */
function createStub(
  body: unknown,
  { status, headers, type }: { status: number; headers: object; type: string | undefined },
): Stub {
  if (body === undefined) throw invalidAnswer('body is missing', 'Set body; "" is an empty one.');
  if (httpStatus.read(String(status)) === undefined) {
    throw invalidAnswer(`status is ${String(status).slice(0, 40)}`, `Use an ${httpStatus.label}.`);
  }

  const others: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    assertHeader(key, value);
    others[key] = value;
  }
  const { 'content-type': typeInHeaders, ...rest } = others;

  const isText = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = Buffer.from(isText ? body : encodeTestValue(body, 'the body of answer'));
  const ownType = eitherOf('the media type', type, typeInHeaders);
  return {
    status,
    headers: rest,
    type: ownType ?? (isText ? textType : jsonType),
    body: bytes,
    ...(status >= 400 && { why: 'Sent by a fault instead of the service’s answer.' }),
  };
}

function assertHeader(name: string, value: unknown): void {
  const word = quoted(name);
  if (ownHeaders.includes(name)) {
    throw invalidAnswer(`the server itself sets the header ${word}`, 'Leave it out.');
  }
  if (typeof value !== 'string' || !isHeader(name, value)) {
    throw invalidAnswer(`the header ${word} is not valid`, 'Use a valid name and a string.');
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

function invalidAnswer(reason: string, advice: string): UsageError {
  return usageError(`Invalid answer of a fault: ${reason}.`, advice, { code: 'BAD_FAULT' });
}

/** Replaces `{id}` in the body with the report ID. */
function withReportId(stub: Stub, reportId: string | undefined): Answer {
  if (reportId === undefined || !stub.body.includes('{id}')) return stub;

  const isJson = /[/+]json\b/i.test(stub.type);
  const id = isJson ? JSON.stringify(reportId).slice(1, -1) : reportId;
  // Latin-1 preserves every byte of the body.
  const idBytes = Buffer.from(id).toString('latin1');
  const body = stub.body.toString('latin1').replaceAll('{id}', () => idBytes);
  return { ...stub, body: Buffer.from(body, 'latin1') };
}
