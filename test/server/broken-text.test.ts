import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brokenJsonAt, brokenUtf8At } from '../../src/server/request/broken-text.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each([
  ['', 0],
  ['{', 1],
  ['{"a" 1}', 5],
  ['{"a":1,}', 7],
  ['{"a":tru}', 5],
  ['{"a":"\n"}', 6],
  ['{"a":"\\x"}', 6],
  ['[1 2]', 3],
  ['[1}', 2],
  ['[,]', 1],
  ['{}x', 2],
  ['{a:1}', 1],
  [`${'['.repeat(100_000)}}`, 100_000],
  [`"${'x'.repeat(1_000_000)}`, 1_000_001],
])('%j breaks at %i', (text, at) => {
  expect(brokenJsonAt(text)).toBe(at);
});

test('whatever a JSON text is spoilt with, it breaks there or behind, and never in what is good', () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 4 }),
      fc.nat(),
      fc.constantFrom('', ',', '}', ']', '"', ':', '\u0001', 'x'),
      (json, at, put) => {
        const place = at % (json.length + 1);
        const text = json.slice(0, place) + put + json.slice(place + 1);
        fc.pre(!isJson(text));
        const found = brokenJsonAt(text);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(text.length);
        // What the engine itself says, where it says it.
        const told = messageOf(text).match(/at position (\d+)/)?.[1];
        if (told !== undefined && !text.slice(found).startsWith('"'))
          expect(Number(told)).toBeGreaterThanOrEqual(found);
      },
    ),
    { numRuns: 500 },
  );
});

function messageOf(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test('the first byte that is not UTF-8 is found behind any good text, the replacement character included', () => {
  const good = fc.string({ unit: fc.constantFrom('a', 'é', '\ufffd', '€', '👑') });
  fc.assert(
    fc.property(good, fc.constantFrom(0xff, 0xc0, 0x80), good, (before, wrong, after) => {
      const bytes = Buffer.concat([Buffer.from(before), Buffer.from([wrong]), Buffer.from(after)]);
      expect(brokenUtf8At(bytes)).toBe(Buffer.byteLength(before));
    }),
  );
});
