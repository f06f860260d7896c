import fc from 'fast-check';
import { expect } from 'vitest';
import type { RawAnswer, RawCall } from '../../src/commands/doctor-service/calls.ts';
import { ServiceRecording } from '../../src/commands/doctor-service/recording.ts';
import { endpoints } from '../../src/contract/messages.ts';
import { statements } from '../../src/contract/statements.ts';

/** What nobody may find in a recording: names, ids, addresses, tokens, figures. */
const secret = fc.oneof(
  fc.stringMatching(/^[A-Z][a-z]{3,8} [A-Z][a-z]{3,8}( €[1-9])?$/),
  fc.stringMatching(/^[1-9]\d{6,17}$/),
  fc.stringMatching(/^[a-z]{3,8}@[a-z]{3,8}\.(com|fr)$/),
  fc.stringMatching(/^https:\/\/[a-z]{4,9}\.(com|fr)\/[a-z]{4,9}$/),
  fc.stringMatching(/^[0-9a-f]{40}$/),
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
  'error',
);

/** JSON with planted texts and figures, as values and as keys. */
const answerTree = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    secret,
    figure,
    fc.constantFrom(null, true, ''),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(contractKey, secret), tie('value'), { maxKeys: 5 }),
  ),
})).value;

const body = fc.oneof(
  answerTree.map((value) => JSON.stringify(value)),
  fc.array(secret, { maxLength: 6 }).map((cells) => `${cells.join(',')}\r\n${cells.join(',')}\r\n`),
  secret.map((text) => `<html>${text}</html>`),
  secret,
);
const contentType = fc.oneof(
  fc.constantFrom(
    'application/json',
    'text/csv; charset=utf-8',
    'application/x-www-form-urlencoded',
  ),
  secret,
);
const headers = fc
  .tuple(
    contentType,
    fc.dictionary(fc.oneof(fc.constant('location'), secret), secret, { maxKeys: 3 }),
  )
  .map(([type, others]) => ({ ...others, 'content-type': type }));

const endpointNames = Object.keys(endpoints) as (keyof typeof endpoints)[];
const call: fc.Arbitrary<RawCall> = fc.record({
  endpoint: fc.constantFrom(...endpointNames),
  body: fc.record({ contentType, text: body }),
  authorization: fc.oneof(
    secret,
    secret.map((token) => `Bearer ${token}`),
  ),
});
const answer: fc.Arbitrary<RawAnswer> = fc
  .record({ status: fc.integer({ min: 200, max: 599 }), headers, text: body })
  .map(({ status, headers: sent, text }) => ({ status, headers: sent, text, json: undefined }));

/** Every planted text and figure that a value holds, keys included. */
function* plantedIn(value: unknown): Generator<string> {
  if (typeof value === 'number' && value >= 1_000_000) yield String(value);
  if (typeof value === 'string') yield* value.match(secretPattern) ?? [];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield* key.match(secretPattern) ?? [];
    yield* plantedIn(member);
  }
}

/** The forms of what is planted, wherever in a text it stands. */
const secretPattern =
  /[A-Z][a-z]{3,8} [A-Z][a-z]{3,8}|[a-z]{3,8}@[a-z]{3,8}\.\w+|https:\/\/\w+\.\w+\/\w+|[0-9a-f]{40}|19\d\d-\d\d-\d\d|\d{6,}[.,]\d+|\d{7,}/g;

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

/** Holds recordings of random exchanges to what they promise. */
export function expectShapesOnly(numRuns: number): void {
  let planted = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(call, answer), { minLength: 1, maxLength: 4 }), (exchanges) => {
      const recording = new ServiceRecording(false);
      for (const [sent, received] of exchanges) recording.add(sent, received);
      const results = Object.fromEntries(statements.map(({ id }) => [id, 'holds']));

      const text = recording.toText(facts, results);

      const secrets = new Set(plantedIn(exchanges));
      planted += secrets.size;
      expect([...secrets].filter((each) => text.includes(each))).toEqual([]);
      expect(Buffer.byteLength(text)).toBeLessThan(200_000);
    }),
    { numRuns },
  );
  expect(planted).toBeGreaterThan(numRuns);
}
