import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dayOf,
  exactDouble,
  exactInteger,
  momentOf,
  numberTextOf,
  wallTimeOf,
} from '../../src/contract/values.ts';

describe('numbers', () => {
  test.each([
    { value: 12.5, text: '12.5' },
    { value: '1234,50', text: '1234.50' },
    { value: '-0,05', text: '-0.05' },
    { value: '12,5', text: '12.5' },
    { value: '0,125', text: '0.125' },
    { value: '12345678901234567890', text: '12345678901234567890' },
    { value: '1e5', text: '1e5' },
  ])('$value is $text', ({ value, text }) => {
    expect(numberTextOf(value)).toBe(text);
  });

  const emptyOrCutShort = ['', '-', '.5', '5.', '1e'];
  const ambiguous = ['1.2.3', '1,2,3', '1.234,50', '1,234', '1234,567', '1_000'];
  const oddlyWritten = ['007', '-00.5', '+1', ' 1', '0x1', 'NaN'];
  const otherTypes = [null, true, []];

  test.each([...emptyOrCutShort, ...ambiguous, ...oddlyWritten, ...otherTypes])(
    '%j is none, and nothing is guessed',
    (value) => {
      expect(numberTextOf(value)).toBeUndefined();
    },
  );

  test.each([
    { text: '0.1', double: 0.1 },
    { text: '1e21', double: 1e21 },
    { text: '0.30000000000000004', double: 0.30000000000000004 },
    { text: '1e-7', double: 1e-7 },
    { text: '100.00', double: 100 },
    { text: '0', double: 0 },
    { text: '0.000', double: 0 },
  ])('$text is a double without being rounded', ({ text, double }) => {
    expect(exactDouble(text)).toBe(double);
  });

  test.each(['9007199254740993', '0.1234567890123456789', '1e400', '1e-400', 'x', ''])(
    '%j would be rounded as a double, so it is none',
    (text) => {
      expect(exactDouble(text)).toBeUndefined();
    },
  );

  test.each([
    { text: '1e3', integer: 1000n },
    { text: '7.0', integer: 7n },
    { text: '-9223372036854775808', integer: -(2n ** 63n) },
    { text: '0e999999', integer: 0n },
  ])('$text is an integer of 64 bits', ({ text, integer }) => {
    expect(exactInteger(text)).toBe(integer);
  });

  test.each(['1.5', '9223372036854775808', '1e19', '1e999999999', '1e-1', 'x'])(
    '%j is no integer of 64 bits',
    (text) => {
      expect(exactInteger(text)).toBeUndefined();
    },
  );
});

describe('times', () => {
  const dayMs = 86_400_000;
  const hourMs = 3_600_000;

  test('are days of the calendar', () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_528, max: 2_932_896 }), (day) => {
        const date = new Date(day * dayMs).toISOString().slice(0, 10);

        expect(dayOf(date)).toBe(day);
      }),
    );
  });

  const impossibleDays = ['2026-02-29', '2026-13-01', '2026-11-00'];
  const otherSpellings = ['2026-1-1', '20261101', '2026-11-01T00:00', ''];

  test.each([...impossibleDays, ...otherSpellings])('%j is no day', (text) => {
    expect(dayOf(text)).toBeUndefined();
  });

  test.each([
    { text: '2026-10-25T02:30:00+0200', hours: 2 },
    { text: '2026-10-24T19:30:00-05:00', hours: -5 },
    { text: '2026-10-25T00:30Z', hours: 0 },
  ])('$text is a moment, kept apart from what the clocks of its zone showed', (moment) => {
    const instantMs = Date.UTC(2026, 9, 25, 0, 30);

    expect(momentOf(moment.text)).toEqual({
      instantMs,
      wallMs: instantMs + moment.hours * hourMs,
    });
  });

  const withoutOffset = ['2026-11-01T06:00:00', '2026-11-01', '13', ''];
  const badlyWritten = ['2026-11-01 06:00:00+0100', '2026-11-01T25:00:00Z'];

  test.each([...withoutOffset, ...badlyWritten])('%j is no moment', (text) => {
    expect(momentOf(text)).toBeUndefined();
  });

  test('what the clocks of the service showed has a blank and no offset', () => {
    expect(wallTimeOf('2026-11-01 06:00:00')).toBe(Date.UTC(2026, 10, 1, 6));
    expect(wallTimeOf('2026-11-01T06:00:00')).toBeUndefined();
    expect(wallTimeOf('2026-11-31 06:00:00')).toBeUndefined();
  });
});

test('a number of a million digits is compared in the time of one look at each', () => {
  const text = `1${'0'.repeat(1_000_000)}1`;
  expect(exactInteger(text)).toBeUndefined();
  expect(exactDouble(text)).toBeUndefined();
  expect(exactDouble(`0.${text}`)).toBeUndefined();
});
