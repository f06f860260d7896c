import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyUnless, copyWords } from '../../src/output/bytes/word-copy.ts';
import { controlBytes, firstMarked, repeated, viewOf, zeroBytes } from '../../src/rows/words.ts';

const comma = 0x2c;
const backslash = 0x5c;
/** Bytes among which those that matter are frequent, and their neighbours, which borrows could be mistaken for. */
const byte = fc.oneof(
  fc.constantFrom(0, 1, 0x1f, 0x20, 0x2b, comma, 0x2d, 0x5b, backslash, 0x5d, 0x7f, 0x80, 0xff),
  fc.nat(255),
);
const bytes = fc.array(byte, { maxLength: 20 });

describe('copyUnless', () => {
  it('copies any run that has neither stop, whatever stands around it', () => {
    fc.assert(
      fc.property(bytes, bytes, bytes, (before, run, after) => {
        const from = Buffer.from([...before, ...run, ...after, comma, backslash, 0, 0]);
        const out = Buffer.alloc(40);
        const copied = copyUnless(
          viewOf(out),
          5,
          viewOf(from),
          before.length,
          before.length + run.length,
          repeated(comma),
        );
        expect(copied).toBe(!run.includes(comma) && !run.includes(backslash));
        if (copied) expect([...out.subarray(5, 5 + run.length)]).toEqual(run);
        expect([...out.subarray(0, 5)]).toEqual([0, 0, 0, 0, 0]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('copyWords', () => {
  it('copies any run', () => {
    fc.assert(
      fc.property(bytes, (run) => {
        const out = Buffer.alloc(40);
        copyWords(viewOf(out), 3, viewOf(Buffer.from([9, ...run, 9, 9, 9])), 1, 1 + run.length);
        expect([...out.subarray(3, 3 + run.length)]).toEqual(run);
      }),
    );
  });
});

describe('the bytes of a word', () => {
  it.each([
    ['zero', zeroBytes, (value: number) => value === 0],
    ['control', controlBytes, (value: number) => value < 0x20],
  ] as const)('the first %s byte is found', (_, marksOf, isMeant) => {
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), (four) => {
        const marks = marksOf(Buffer.from(four).readInt32LE());
        expect(marks === 0 ? -1 : firstMarked(marks)).toBe(four.findIndex(isMeant));
      }),
      { numRuns: 5000 },
    );
  });
});
