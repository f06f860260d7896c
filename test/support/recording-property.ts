import fc from 'fast-check';
import { expect } from 'vitest';
import { endpointNames } from '../../src/contract/messages.ts';
import { statements } from '../../src/contract/statements.ts';
import type { RawAnswer, RawCall } from '../../src/doctor/service/calls.ts';
import { ServiceRecording } from '../../src/doctor/service/recording.ts';

/** Values that must not be in a recording: names, ids, addresses, tokens, figures. */
const secret = fc.oneof(
  // Names of people and campaigns: one word or several, capitals, other scripts.
  fc.stringMatching(/^[A-Z][a-z]{3,8} [A-Z][a-z]{3,8}( €[1-9])?$/),
  fc.stringMatching(/^Zq[a-z]{5,9}$/),
  fc.stringMatching(/^ZQ[A-Z]{4,9}$/),
  fc.stringMatching(/^Žluť[a-zěš]{3,6}$/u),
  // Ids: digits, UUIDs, and forms used in paths and queries.
  fc.stringMatching(/^[1-9]\d{6,17}$/),
  fc.uuid({ version: 4 }),
  fc.stringMatching(/^\/reports\/[1-9]\d{7,9}\?page=[1-9]&token=[0-9a-f]{16}$/),
  fc.stringMatching(/^campaign_[1-9]\d{7,9}$/),
  // Addresses.
  fc.stringMatching(/^[a-z]{3,8}@[a-z]{3,8}\.(com|fr)$/),
  fc.stringMatching(/^https:\/\/[a-z]{4,9}\.(com|fr)\/[a-z]{4,9}$/),
  fc.stringMatching(/^10\.\d{3}\.\d{3}\.\d{3}$/),
  fc.stringMatching(/^\+33 6 [1-9]\d [1-9]\d [1-9]\d [1-9]\d$/),
  // Tokens.
  fc.stringMatching(/^[0-9a-f]{40}$/),
  fc.stringMatching(/^eyJ[A-Za-z0-9]{20,40}$/),
  // Figures and dates.
  fc.stringMatching(/^[1-9]\d{5,8},\d\d$/),
  fc.stringMatching(/^19\d\d-0[1-9]-1\d( 1\d:2\d:3\d)?$/),
);
const figure = fc.oneof(
  fc.integer({ min: 1_000_000, max: 2 ** 50 }),
  fc.integer({ min: 100_000_001, max: 2 ** 40 }).map((cents) => cents / 100),
);

const contractKey = fc.constantFrom(
  'data',
  'summary',
  'response',
  'status',
  'message',
  'breakdowns',
  'timezone',
  'since',
  'campaignName',
  'campaignId',
  'adunits',
  'displays',
  'revenueEuro',
  'token',
  'password',
  'error',
  'error_id',
  'details',
);

/** Unknown keys that are not secret. */
const plainKey = fc.constantFrom('viewability', 'page_size', 'own key', 'constructor', '__proto__');

/** JSON with planted texts and figures as values, and keys of one kind. */
function treeWith(key: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      secret,
      figure,
      fc.constantFrom(null, true, ''),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    ),
  })).value;
}

const lineOf = (cells: readonly string[]): string => cells.join(',');

/**
 * Bodies of all kinds: JSON, CSV, forms, pages, text. Keys and headings are secrets only if `key`
 * plants them.
 */
function bodyWith(key: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const cells = fc.array(secret, { minLength: 1, maxLength: 6 });
  const headings = fc.array(key, { minLength: 1, maxLength: 6 });
  const form = fc.dictionary(key, secret, { minKeys: 1, maxKeys: 4 });
  return fc.oneof(
    treeWith(key).map((value) => JSON.stringify(value)),
    fc.tuple(headings, cells).map(([head, row]) => `${lineOf(head)}\r\n${lineOf(row)}\r\n`),
    form.map((fields) => new URLSearchParams(fields).toString()),
    secret.map((text) => `<html>${text}</html>`),
    secret,
  );
}

const contentType = fc.oneof(
  fc.constantFrom(
    'application/json',
    'text/csv; charset=utf-8',
    'application/x-www-form-urlencoded',
  ),
  secret,
);

/** Exchanges with secrets planted wherever a service or an account can have them. */
function exchangesWith(key: fc.Arbitrary<string>): fc.Arbitrary<[RawCall, RawAnswer][]> {
  const body = bodyWith(key);
  const headers = fc
    .tuple(
      contentType,
      fc.dictionary(fc.oneof(fc.constantFrom('location', 'set-cookie', 'link'), key), secret, {
        maxKeys: 4,
      }),
    )
    .map(([type, others]) => ({ ...others, 'content-type': type }));

  const call: fc.Arbitrary<RawCall> = fc.record({
    endpoint: fc.constantFrom(...endpointNames),
    body: fc.record({ contentType, text: body }),
    authorization: fc.oneof(
      secret,
      secret.map((token) => `Bearer ${token}`),
    ),
    accept: fc.oneof(secret, fc.constant(null)),
  });
  const problem = secret.map((text) => `It redirects to ${text}.`);
  const answer: fc.Arbitrary<RawAnswer> = fc
    .record({
      status: fc.integer({ min: 200, max: 599 }),
      headers,
      text: body,
      problem: fc.option(problem, { nil: undefined, freq: 5 }),
    })
    .map(({ problem: why, ...rest }) => {
      return { ...rest, json: undefined, ...(why !== undefined && { problem: why }) };
    });
  return fc.array(fc.tuple(call, answer), { minLength: 1, maxLength: 4 });
}

/** All planted texts and figures in a value, including keys. */
function* plantedIn(value: unknown): Generator<string> {
  if (typeof value === 'number' && value >= 1_000_000) yield String(value);
  if (typeof value === 'string') yield* value.match(secretPattern) ?? [];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield* key.match(secretPattern) ?? [];
    yield* plantedIn(member);
  }
}

/** The forms of planted values, anywhere in a text. */
const secretPattern = new RegExp(
  [
    /[A-Z][a-z]{3,8} [A-Z][a-z]{3,8}|Zq[a-z]{5,9}|ZQ[A-Z]{4,9}|Žluť[a-zěš]{3,6}/,
    /[a-z]{3,8}@[a-z]{3,8}\.\w+|https:\/\/\w+\.\w+\/\w+|10\.\d{3}\.\d{3}\.\d{3}|\+33 6 [\d ]{11}/,
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[0-9a-f]{40}|[0-9a-f]{16}|eyJ[A-Za-z0-9]{20,}/,
    /19\d\d-\d\d-\d\d|\d{6,}[.,]\d+|\d{7,}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

const facts = {
  adreport: '1.2.3',
  node: 'v20',
  platform: 'linux',
  profile: 'buyer',
  encoding: 'json',
  windowClock: 'instant',
  isLocal: false,
  hasProxy: false,
};
const outcomes = Object.fromEntries(statements.map(({ id }) => [id, 'holds']));

const bytesAtMost = 200_000;

/** Expects that recordings of random exchanges contain no planted value. */
export function expectShapesOnly(numRuns: number): void {
  let planted = 0;

  function expectNothing(exchanges: readonly [RawCall, RawAnswer][]): void {
    const recording = new ServiceRecording();
    for (const [sent, received] of exchanges) recording.add(sent, received);

    const text = recording.toText(facts, outcomes);

    const secrets = new Set(plantedIn(exchanges));
    planted += secrets.size;
    expect([...secrets].filter((each) => text.includes(each))).toEqual([]);
    expect(Buffer.byteLength(text)).toBeLessThan(bytesAtMost);
    JSON.parse(text);
  }

  const everywhere = exchangesWith(fc.oneof(contractKey, plainKey, secret));
  fc.assert(fc.property(everywhere, expectNothing), { numRuns });
  expect(planted).toBeGreaterThan(numRuns * 2);
}

/** Expects that a recording of many large exchanges stays below its limit. */
export function expectBounded(): void {
  const recording = new ServiceRecording();
  const members = Array.from({ length: 200 }, (_, index) => [
    `own key ${index}`,
    { deep: [index] },
  ]);
  for (let index = 0; index < 2_000; index += 1) {
    const text = JSON.stringify(Object.fromEntries([[`call ${index}`, 1], ...members]));
    const answer = { status: 200, headers: {}, text, json: undefined };
    recording.add({ endpoint: 'download' }, answer);
  }

  const text = recording.toText(facts, outcomes);

  const { exchanges, leftOut } = JSON.parse(text);
  expect(exchanges.length).toBeGreaterThan(10);
  expect(exchanges.length + leftOut).toBe(2_000);
  expect(Buffer.byteLength(text)).toBeLessThan(bytesAtMost);
}
