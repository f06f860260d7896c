import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dayOf,
  exactDouble,
  exactInteger,
  momentOf,
  numberText,
  plainNumber,
  wallTimeOf,
} from '../../src/output/bytes/typed-value.ts';

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: length });
const decimal = fc
  .tuple(fc.constantFrom('', '-'), digits(18), fc.option(digits(8)), fc.constantFrom('.', ','))
  .map(([sign, integer, fraction, mark]) => `${sign}${integer}${fraction === null ? '' : mark + fraction}`);

/** Inside a JSON value a quote stands at both ends or not at all. */
const noQuotes = fc.string().filter((text) => !text.includes('"'));

describe('numbers', () => {
  it('are read from their bytes as Number reads them, or left to the slow way', () => {
    fc.assert(
      fc.property(fc.oneof(decimal, noQuotes), fc.boolean(), (text, isString) => {
        const bytes = Buffer.from(isString ? `"${text}"` : text);
        const number = plainNumber(bytes, 0, bytes.length);
        if (Number.isNaN(number)) return;
        expect(numberText(Buffer.from(`"${text}"`), 0, text.length + 2)).toBe(text.replace(',', '.'));
        expect(number).toBe(Number(text.replace(',', '.')));
        expect(exactDouble(text.replace(',', '.'))).toBe(
          number === 0 ? Math.abs(number) * Math.sign(1 / number) : number,
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('of up to 15 digits are read the fast way', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(10 ** 15) + 1, max: 10 ** 15 - 1 }),
        fc.integer({ min: 0, max: 14 }),
        (integer, scale) => {
          const text = (BigInt(integer) < 0n ? '-' : '') + String(Math.abs(integer)).padStart(scale + 1, '0');
          const dotted = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
          const bytes = Buffer.from(dotted);
          const isLong = dotted.replace(/\D/g, '').length > 15;
          expect(plainNumber(bytes, 0, bytes.length)).toBe(isLong ? Number.NaN : Number(dotted));
        },
      ),
    );
  });

  it.each(['', '-', '.5', '5.', '1.2.3', '1,2,3', '007', '-00.5', '+1', ' 1', '1e', '0x1', 'NaN', '1_000', '1.234,50'])(
    'are none in "%s"',
    (text) => {
      const bytes = Buffer.from(`"${text}"`);
      expect([plainNumber(bytes, 0, bytes.length), numberText(bytes, 0, bytes.length)]).toEqual([
        Number.NaN,
        undefined,
      ]);
    },
  );

  it('are never rounded', () => {
    expect(['0.1', '1e21', '0.30000000000000004', '1e-7', '100.00', '0', '0.000'].map(exactDouble)).toEqual([
      0.1, 1e21, 0.30000000000000004, 1e-7, 100, 0, 0,
    ]);
    const inexact = ['9007199254740993', '0.1234567890123456789', '1e400', '1e-400', 'x', ''];
    expect(inexact.map(exactDouble)).toEqual(inexact.map(() => undefined));
    expect(['1e3', '7.0', '-9223372036854775808', '0e999999'].map(exactInteger)).toEqual([1000n, 7n, -(2n ** 63n), 0n]);
    const noIntegers = ['1.5', '9223372036854775808', '1e19', '1e999999999', '1e-1', 'x'];
    expect(noIntegers.map(exactInteger)).toEqual(noIntegers.map(() => undefined));
  });
});

describe('times', () => {
  it('are days of the calendar', () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_528, max: 2_932_896 }), (day) => {
        expect(dayOf(new Date(day * 86_400_000).toISOString().slice(0, 10))).toBe(day);
      }),
    );
    const others = ['2026-02-29', '2026-13-01', '2026-1-1', '2026-11-01T00:00', '', '20261101', '2026-11-00'];
    expect(others.map(dayOf)).toEqual(others.map(() => undefined));
  });

  it('are moments with an offset, which are kept apart from what the clocks showed', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('9000-01-01'), noInvalidDate: true }),
        fc.integer({ min: -720, max: 840 }),
        (date, offset) => {
          const wall = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
          const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((n) =>
            String(n).padStart(2, '0'),
          );
          for (const colon of ['', ':']) {
            expect(momentOf(`${wall}${offset < 0 ? '-' : '+'}${hours}${colon}${minutes}`)).toEqual({
              instantMs: date.getTime(),
              wallMs: date.getTime() + offset * 60_000,
            });
          }
        },
      ),
    );
    const others = ['2026-11-01T06:00:00', '2026-11-01 06:00:00+0100', '2026-11-01T24:00:00Z', '2026-11-01', '13', ''];
    expect(others.map(momentOf)).toEqual(others.map(() => undefined));
    expect(['2026-11-01 06:00:00', '2026-11-01T06:00:00', '2026-11-31 06:00:00'].map(wallTimeOf)).toEqual([
      Date.UTC(2026, 10, 1, 6),
      undefined,
      undefined,
    ]);
  });
});
