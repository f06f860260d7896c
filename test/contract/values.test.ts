import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
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
    [12.5, '12.5'],
    ['1234,50', '1234.50'],
    ['-0,05', '-0.05'],
    ['12,5', '12.5'],
    ['0,125', '0.125'],
    ['12345678901234567890', '12345678901234567890'],
    ['1e5', '1e5'],
  ])('%j is %s', (value, text) => {
    expect(numberTextOf(value)).toBe(text);
  });

  const others = [
    '',
    '-',
    '.5',
    '5.',
    '1.2.3',
    '1,2,3',
    '007',
    '-00.5',
    '+1',
    ' 1',
    '1e',
    '0x1',
    'NaN',
    '1_000',
  ];
  test.each([...others, '1.234,50', '1,234', '1234,567', null, true, []])(
    '%j is none, and nothing is guessed',
    (value) => {
      expect(numberTextOf(value)).toBeUndefined();
    },
  );

  it('are never rounded', () => {
    expect(
      ['0.1', '1e21', '0.30000000000000004', '1e-7', '100.00', '0', '0.000'].map(exactDouble),
    ).toEqual([0.1, 1e21, 0.30000000000000004, 1e-7, 100, 0, 0]);
    const inexact = ['9007199254740993', '0.1234567890123456789', '1e400', '1e-400', 'x', ''];
    expect(inexact.map(exactDouble)).toEqual(inexact.map(() => undefined));
    expect(['1e3', '7.0', '-9223372036854775808', '0e999999'].map(exactInteger)).toEqual([
      1000n,
      7n,
      -(2n ** 63n),
      0n,
    ]);
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
    const others = [
      '2026-02-29',
      '2026-13-01',
      '2026-1-1',
      '2026-11-01T00:00',
      '',
      '20261101',
      '2026-11-00',
    ];
    expect(others.map(dayOf)).toEqual(others.map(() => undefined));
  });

  it('are moments with an offset, which are kept apart from what the clocks showed', () => {
    const instantMs = Date.UTC(2026, 9, 25, 0, 30);
    for (const [text, hours] of [
      ['2026-10-25T02:30:00+0200', 2],
      ['2026-10-24T19:30:00-05:00', -5],
      ['2026-10-25T00:30Z', 0],
    ] as const) {
      expect(momentOf(text)).toEqual({ instantMs, wallMs: instantMs + hours * 3_600_000 });
    }
    const others = [
      '2026-11-01T06:00:00',
      '2026-11-01 06:00:00+0100',
      '2026-11-01T25:00:00Z',
      '2026-11-01',
      '13',
      '',
    ];
    expect(others.map(momentOf)).toEqual(others.map(() => undefined));
    expect(
      ['2026-11-01 06:00:00', '2026-11-01T06:00:00', '2026-11-31 06:00:00'].map(wallTimeOf),
    ).toEqual([Date.UTC(2026, 10, 1, 6), undefined, undefined]);
  });
});
