import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { fieldLabel, fieldOfLabel } from '../../src/contract/labels.ts';
import type { Group } from '../../src/view/grouping.ts';
import { groupedText, roundedMoney, shortNumber } from '../../src/view/number-text.ts';
import { areMonths, layOutTime } from '../../src/view/time-axis.ts';
import { describeDays, describeZone, windowText } from '../../src/view/window-text.ts';

describe('time axis', () => {
  const groupsOf = (times: readonly (string | null)[]): Group[] =>
    times.map((time) => ({ key: [time], sums: new Map() }));
  const axisOf = (times: readonly (string | null)[], monthly = false) => layOutTime(groupsOf(times), monthly);

  it('has a slot for every day from the first to the last, in whatever order they come', () => {
    const axis = axisOf(['2026-03-01', '2026-02-27', null, '2026-03-01', 'no day', '2026-02-30']);
    expect(axis?.labels).toEqual(['Fri 27 Feb 2026', 'Sat 28 Feb 2026', 'Sun 1 Mar 2026']);
    expect(axis?.slots.map((groups) => groups.length)).toEqual([1, 0, 2]);
    expect(axis?.marks).toEqual(['27 Feb', '28 Feb', '1 Mar']);
  });

  it('keeps the hour that comes twice apart, and names hours without rows', () => {
    const axis = axisOf([
      '2026-10-25T01:00:00+0200',
      '2026-10-25T02:00:00+0200',
      '2026-10-25T02:00:00+0100',
      '2026-10-25T05:00:00+0100',
    ]);
    expect(axis?.step).toBe('hour');
    expect(axis?.labels).toEqual([
      'Sun 25 Oct 2026, 01:00',
      'Sun 25 Oct 2026, 02:00 (+0200)',
      'Sun 25 Oct 2026, 02:00 (+0100)',
      'Sun 25 Oct 2026, 03:00',
      'Sun 25 Oct 2026, 04:00',
      'Sun 25 Oct 2026, 05:00',
    ]);
    expect(axis?.marks).toEqual(['25 Oct, 01:00', '25 Oct, 02:00 (+0100)', '25 Oct, 05:00']);
  });

  it('becomes coarser rather than finer than what can be seen', () => {
    const hour = (date: string) => `${date}T00:00:00+0100`;
    expect(axisOf([hour('2026-01-01'), hour('2026-01-30')])?.step).toBe('hour');
    expect(axisOf([hour('2026-01-01'), hour('2026-03-01')])?.step).toBe('day');
    const years = axisOf(['2019-01-15', '2026-01-15', '2026-01-16']);
    expect(years?.labels.length).toBe(85);
    expect(years?.marks).toEqual(['January 2019', 'July 2022', 'January 2026']);
    expect(axisOf(['0001-01-01', '9999-12-31'])).toBeUndefined();
    expect(axisOf([null, ''])).toBeUndefined();
  });

  it('is of months where dates stand for months', () => {
    expect(axisOf(['2026-01-01', '2026-03-01'], true)?.labels).toEqual(['January 2026', 'February 2026', 'March 2026']);
    expect(areMonths(groupsOf(['2026-01-01', '2026-03-01']))).toBe(true);
    expect(areMonths(groupsOf(['2026-01-01', '2026-03-02']))).toBe(false);
    expect(areMonths(groupsOf(['2026-01-01']))).toBe(false);
  });
});

test.each([
  ['2026-10-01T00:00:00+0200', '2026-10-31T23:59:59+0100', '1–31 October 2026'],
  ['2026-10-01T00:00:00+0200', '2026-10-01T23:59:59+0200', '1 October 2026'],
  ['2026-10-01T00:00:00+0200', '2026-11-02T23:59:59+0100', '1 October – 2 November 2026'],
  ['2025-12-31T00:00:00+0100', '2026-01-01T23:59:59+0100', '31 December 2025 – 1 January 2026'],
  ['2026-10-01T08:30:00+0200', '2026-10-02T09:29:59+0200', '1 October 2026, 08:30 – 2 October 2026, 09:29'],
  ['yesterday', '2026-10-02T09:29:59+0200', 'yesterday – 2026-10-02T09:29:59+0200'],
])('the window %s to %s is %s', (since, until, text) => expect(windowText({ since, until })).toBe(text));

test('zones and days', () => {
  expect(describeZone('europe/paris')).toBe('Europe/Paris');
  expect(describeZone('america/new_york')).toBe('America/New_York');
  expect(describeZone('UTC')).toBe('UTC');
  expect(describeDays('2026-10-01', '2026-10-02')).toBe('1–2 October 2026');
});

test('labels of fields, and the fields of labels', () => {
  const fields = ['revenueDollar', 'eyesTrackings', 'campaignId', 'os', 'adminLevel1', 'ecpmEuro', 'Unknown_field'];
  const labels = ['Revenue ($)', 'Eye trackings', 'Campaign ID', 'OS', 'Region', 'eCPM (€)', 'Unknown_field'];
  expect(fields.map(fieldLabel)).toEqual(labels);
  expect(labels.map(fieldOfLabel)).toEqual(fields);
  expect(fieldLabel('valueDollar')).toBe('Revenue ($)');
});

describe('numbers', () => {
  it('keep their digits, whatever their length', () => {
    const decimal = fc.tuple(fc.bigInt(), fc.option(fc.stringMatching(/^\d{1,2}$/), { nil: undefined }));
    fc.assert(
      fc.property(decimal, ([integer, fraction]) => {
        const text = fraction === undefined ? String(integer) : `${integer}.${fraction}`;
        expect(groupedText(text).replaceAll(',', '')).toBe(text);
        expect(groupedText(text)).toMatch(/^-?\d{1,3}(,\d{3})*(\.\d+)?$/);
        expect(roundedMoney(text)).toBe(`${integer}.${(fraction ?? '').padEnd(2, '0')}`);
      }),
    );
    expect(groupedText('n/a')).toBe('n/a');
  });

  it.each([
    ['0.125', '0.13'],
    ['1e5', '100000.00'],
    ['', ''],
    ['n/a', 'n/a'],
  ])('%s as money is %s', (text, shown) => expect(roundedMoney(text)).toBe(shown));

  it('on an axis are short', () => {
    expect([0, 0.05, 250, 1500, 2_500_000, -40_000, 3e9].map(shortNumber)).toEqual([
      '0',
      '0.05',
      '250',
      '1.5k',
      '2.5M',
      '-40k',
      '3B',
    ]);
  });
});
