import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseDay,
  parseTimestamp,
  parseWallTime,
  readTime,
  toDecimalString,
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
    { value: ' 1234,50 ', text: '1234.50' },
    { value: '+5', text: '5' },
    { value: '-007', text: '-7' },
    { value: '.5', text: '0.5' },
    { value: '-,05', text: '-0.05' },
    { value: '5.', text: '5' },
  ])('$value is $text', ({ value, text }) => {
    expect(toDecimalString(value)).toBe(text);
  });

  const emptyOrCutShort = ['', '-', '.', '+', '1e', '+-1'];
  const ambiguous = ['1.2.3', '1,2,3', '1.234,50', '1,234', '1234,567', '1_000'];
  const oddlyWritten = ['0x1', 'NaN', '1 234', '- 1'];
  const otherTypes = [null, true, []];

  test.each([...emptyOrCutShort, ...ambiguous, ...oddlyWritten, ...otherTypes])(
    '%j is not a number, and nothing is guessed',
    (value) => {
      expect(toDecimalString(value)).toBeUndefined();
    },
  );
});

describe('times', () => {
  const dayMs = 86_400_000;
  const hourMs = 3_600_000;

  test('are calendar days', () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_528, max: 2_932_896 }), (day) => {
        const date = new Date(day * dayMs).toISOString().slice(0, 10);

        expect(parseDay(date)).toBe(day);
      }),
    );
  });

  const impossibleDays = ['2026-02-29', '2026-13-01', '2026-11-00'];
  const otherSpellings = ['2026-1-1', '20261101', '2026-11-01T00:00', ''];

  test.each([...impossibleDays, ...otherSpellings])('%j is not a day', (text) => {
    expect(parseDay(text)).toBeUndefined();
  });

  test.each([
    { text: '2026-10-25T02:30:00+0200', hours: 2 },
    { text: '2026-10-24T19:30:00-05:00', hours: -5 },
    { text: '2026-10-25T00:30Z', hours: 0 },
  ])('$text is an instant with its wall time', (moment) => {
    const instantMs = Date.UTC(2026, 9, 25, 0, 30);

    expect(parseTimestamp(moment.text)).toEqual({
      instantMs,
      wallMs: instantMs + moment.hours * hourMs,
    });
  });

  const withoutOffset = ['2026-11-01T06:00:00', '2026-11-01', '13', ''];
  const badlyWritten = ['2026-11-01 06:00:00+0100', '2026-11-01T25:00:00Z'];

  test.each([...withoutOffset, ...badlyWritten])('%j is not an instant', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  test('a wall time of the service has a blank and no offset', () => {
    expect(parseWallTime('2026-11-01 06:00:00')).toBe(Date.UTC(2026, 10, 1, 6));
    expect(parseWallTime('2026-11-01T06:00:00')).toBeUndefined();
    expect(parseWallTime('2026-11-31 06:00:00')).toBeUndefined();
  });
});

describe('a time as a service may write it', () => {
  const wallMs = Date.UTC(2026, 9, 25, 2, 30);

  test.each([
    { text: '2026-10-25', time: { wallMs: Date.UTC(2026, 9, 25), isDay: true } },
    { text: '2026-10-25 02:30', time: { wallMs, isDay: false } },
    { text: '2026-10-25T02:30:00.250', time: { wallMs, isDay: false } },
    {
      text: '2026-10-25 02:30:00 +02:00',
      time: { wallMs, instantMs: wallMs - 7_200_000, isDay: false },
    },
    { text: '2026-10-25t02:30:00z', time: { wallMs, instantMs: wallMs, isDay: false } },
    { text: '2026-02-30', time: undefined },
    { text: '2026-10-25 25:00', time: undefined },
    { text: 'today', time: undefined },
  ])('$text', ({ text, time }) => {
    expect(readTime(text)).toEqual(time);
  });
});
