import { type EndpointName, endpointNames } from '../../contract/messages.ts';
import { functionCheck, stringCheck, wholeNumberCheck } from '../../text/check-members.ts';
import { didYouMean, findNearest, suggestName } from '../../text/nearest.ts';
import type { FaultObject, FaultRequest, FaultResponse } from '../public-types.ts';
import { jsonType } from '../reply.ts';
import { requireMembers, usageError } from '../usage-error.ts';
import { type FaultEffect, type FaultKind, wholeNumber } from './fault-kind.ts';
import { faultKinds, kindLabels } from './kinds.ts';

export interface Fault {
  /** Fault in the form of `--fault`. */
  readonly text: string;

  readonly endpoints: readonly EndpointName[];

  /** Number of calls or reports that the fault affects. */
  readonly times: number;

  /** Number of calls or reports to let through first. */
  readonly after: number;

  /** Selects the calls to which the fault applies. Default: all. */
  readonly when?: ((request: FaultRequest) => unknown) | undefined;
  readonly effect: FaultEffect;
}

const faultAdvice =
  'Write ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

/** Keys that every fault may have. */
const commonKeys = { times: wholeNumber, after: wholeNumber };

/** Throws `UsageError` with the code `BAD_FAULT`. */
function refuse(reason: string, advice: string): never {
  throw usageError(`Invalid fault${reason}.`, advice, { code: 'BAD_FAULT' });
}

/**
 * Parses a fault such as `status:503:times=3` (`cli.md`, `local-server`). Throws `UsageError` that
 * identifies the invalid part.
 *
 * @param customKind kind to use instead of the one in the fault
 */
export function parseFault(fault: string, customKind?: FaultKind): Fault {
  const text = fault.trim();
  const [endpoint = '', name = '', ...pairs] = text.split(':');
  const refusePart = (reason: string, advice = faultAdvice): never =>
    refuse(` “${text.slice(0, 120)}”: ${reason}`, advice);

  const targets = endpointNames.filter((target) => endpoint === '*' || endpoint === target);
  if (targets.length === 0) {
    const advice = suggestName(endpoint, [...endpointNames, '*']);
    return refusePart(`unknown endpoint “${endpoint}”`, advice);
  }

  const kind = customKind ?? findKind(name);
  if (!kind) {
    const advice = didYouMean(findNearest(name, kindLabels), `Use ${kindLabels.join(', ')}.`);
    return refusePart(`unknown kind “${name}”`, advice);
  }

  const endpoints = targets.filter((target) => kind.endpoints?.includes(target) ?? true);
  if (endpoints.length === 0) {
    const advice = `Use ${kind.endpoints?.[0]}:${name}.`;
    return refusePart(`${name} does not work with ${endpoint}`, advice);
  }

  // A map, because an object would also have `constructor`.
  const keys = new Map(Object.entries({ ...commonKeys, ...kind.keys }));
  const values: Record<string, number> = {};
  for (const pair of pairs) {
    const [key = '', ...value] = pair.split('=');
    const reader = keys.get(key);
    if (!reader) {
      return refusePart(`unknown key “${key}” for ${name}`, suggestName(key, [...keys.keys()]));
    }

    const number = reader.read(value.join('='));
    if (number === undefined) return refusePart(`${pair} is not a valid ${reader.label}`);
    values[key] = number;
  }

  const { requiredKey } = kind;
  if (requiredKey !== undefined && values[requiredKey] === undefined) {
    return refusePart(`${requiredKey}= is missing`);
  }

  const { times = Number.POSITIVE_INFINITY, after = 0 } = values;
  return { text, endpoints, times, after, effect: kind.effect(values, name) };
}

/** Finds a kind by its name. An HTTP status represents the kind `status`. */
function findKind(name: string): FaultKind | undefined {
  if (/^[2-5]\d\d$/.test(name)) return faultKinds.status;
  return kindLabels.includes(name) ? faultKinds[name] : undefined;
}

const count = wholeNumberCheck({ min: 0, max: 999_999_999 });

const faultChecks = {
  endpoint: stringCheck,
  kind: stringCheck,
  times: count,
  after: count,
  when: functionCheck,
  change: functionCheck,
  answer: {
    expected: 'an object with status, headers and body',
    isValid: (value: unknown) => typeof value === 'object',
  },
};

/** Reads a fault that a test sets, in process or over HTTP. Throws `UsageError`. */
export function readFault(fault: string | FaultObject<unknown>): Fault {
  if (typeof fault === 'string') return parseFault(fault);

  requireMembers(fault, faultChecks, { noun: 'key', code: 'BAD_FAULT' });
  const { endpoint, kind, times, after, when, change, answer } = fault;
  if (endpoint === undefined) {
    return refuse(': endpoint is missing', 'Example: { endpoint: "status", kind: "503" }.');
  }

  const customEffect = change ? { change } : answer && createResponseEffect(answer);
  if ((kind === undefined) === (customEffect === undefined) || (change && answer)) {
    return refuse(': it needs exactly one effect', 'Set kind, change or answer.');
  }

  const parts = [endpoint, kind ?? (answer ? 'answer' : 'change')];
  if (times !== undefined) parts.push(`times=${times}`);
  if (after !== undefined) parts.push(`after=${after}`);
  const customKind = customEffect && { effect: () => customEffect };
  return { ...parseFault(parts.join(':'), customKind), when };
}

const responseChecks = {
  status: wholeNumberCheck({ min: 200, max: 599 }),
  headers: {
    expected: 'an object of strings',
    isValid: (value: unknown) => typeof value === 'object',
  },
  body: {
    expected: 'a string or a JSON value',
    isValid: (value: unknown) => typeof value !== 'function',
  },
};

/**
 * Creates an effect that sends the test's response. Throws `UsageError` if the response is invalid.
 */
function createResponseEffect(answer: FaultResponse): FaultEffect {
  requireMembers(answer, responseChecks, { noun: 'key of answer', code: 'BAD_FAULT' });
  const { status = 200, headers, body = '' } = answer;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const reply = {
    status,
    type: isRaw ? 'text/plain; charset=utf-8' : jsonType,
    headers: parseHeaders(headers),
    body: Buffer.from(isRaw ? body : JSON.stringify(body)),
    ...(status >= 400 && { why: 'Sent by a fault instead of the service’s response.' }),
  };
  return { respond: () => reply };
}

/** Returns the headers by lower-case name. Throws `UsageError` for an invalid header. */
function parseHeaders(headers: FaultResponse['headers']): Record<string, string> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch (error) {
    return refuse(`: ${(error as Error).message.replace(/\.$/, '')}`, 'Correct answer.headers.');
  }
}
