import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { UsageError } from '../../errors.ts';
import { type MemberCheck, wholeNumberCheck } from '../../text/check-members.ts';
import { quoted } from '../../text/printable.ts';
import type { FaultAnswer } from '../public-types.ts';
import { jsonType } from '../reply.ts';
import { requireMembers, usageError } from '../usage-error.ts';
import type { FaultEffect } from './fault-kind.ts';
import { describeThrown, toJson } from './fault-mistake.ts';

/** Headers that depend on the body, or that would break the connection. */
const ownHeaders = ['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade'];

const answerChecks: Readonly<Record<keyof FaultAnswer, MemberCheck>> = {
  status: wholeNumberCheck({ min: 200, max: 599 }),
  headers: { expected: 'an object of strings', isValid: (value) => typeof value === 'object' },
  body: { expected: 'a string or a JSON value', isValid: (value) => typeof value !== 'function' },
};

/** Sends a response of the test instead of the service's. Throws `UsageError`. */
export function answerEffect(answer: FaultAnswer): FaultEffect {
  requireMembers(answer, answerChecks, { noun: 'member of answer', code: 'BAD_FAULT' });
  const { status = 200, headers, body } = answer;
  if (body === undefined) throw invalidAnswer('body is missing', 'Set body; "" is an empty one.');

  const isText = typeof body === 'string' || body instanceof Uint8Array;
  const { 'content-type': type = isText ? 'text/plain; charset=utf-8' : jsonType, ...others } =
    readHeaders(headers);
  const reply = {
    status,
    type,
    headers: others,
    body: Buffer.from(isText ? body : encodeBody(body)),
    ...(status >= 400 && { why: 'Sent by a fault instead of the service’s response.' }),
  };
  return { respond: () => reply };
}

/** Returns the headers by lower-case name. Throws `UsageError`. */
function readHeaders(headers: FaultAnswer['headers']): Record<string, string> {
  const valid: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    requireHeader(name, value);
    valid[name.toLowerCase()] = value;
  }
  return valid;
}

function requireHeader(name: string, value: unknown): void {
  const word = quoted(name);
  if (ownHeaders.includes(name.toLowerCase())) {
    throw invalidAnswer(`the server itself sets the header ${word}`, 'Leave it out.');
  }

  try {
    validateHeaderName(name);
    if (typeof value !== 'string') throw new TypeError('It is not a string.');
    validateHeaderValue(name, value);
  } catch {
    throw invalidAnswer(`the header ${word} is not valid`, 'Use a valid name and a string.');
  }
}

function encodeBody(body: unknown): string {
  try {
    return toJson(body);
  } catch (error) {
    const reason = `the body is not JSON: ${describeThrown(error)}`;
    throw invalidAnswer(reason, 'Use a string or a JSON value.');
  }
}

function invalidAnswer(reason: string, advice: string): UsageError {
  return usageError(`Invalid answer of a fault: ${reason}.`, advice, { code: 'BAD_FAULT' });
}
