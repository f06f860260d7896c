import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readProjectFile } from '../../src/account/project-file.ts';
import { UsageError } from '../../src/errors.ts';
import { readSavedOptions } from '../../src/query/saved-report.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/** Reads the report `a` of a file with its defaults. */
async function read(text: string): Promise<object> {
  const path = join(temporaryFolder(), 'adreport.yaml');
  writeFileSync(path, text);
  const file = await readProjectFile(path, 'adreport.yaml');
  const { values } = readSavedOptions([file.report('a'), file.defaults], file);
  return values;
}

const readKeys = (keys: string) => read(`reports: {a: {${keys}}}`);

async function refusal(text: string): Promise<string> {
  const error = await read(text).catch((thrown: unknown) => thrown);
  return error instanceof UsageError ? `${error.message} ${error.hint ?? ''}` : 'accepted';
}

test.each([
  ['period: 2026, lookback: 3', { period: '2026', lookback: 3 }],
  ['since: 1793491200, until: 2026-11-01', { since: '1793491200', until: '2026-11-01' }],
  ['by: "DAILY, CAMPAIGN"', { by: ['DAILY', 'CAMPAIGN'] }],
  ['by: [DAILY, CAMPAIGN]', { by: ['DAILY', 'CAMPAIGN'] }],
  ['campaign: [Summer*, "A, B"]', { campaign: ['Summer*', 'A, B'] }],
  [
    'filter: ["countryId=1,2", "carrier=\\"A, B\\",C"]',
    {
      filter: [
        { name: 'countryId', values: ['1', '2'] },
        { name: 'carrier', values: ['A, B', 'C'] },
      ],
    },
  ],
  ['filter: osId=1', { filter: [{ name: 'osId', values: ['1'] }] }],
  ['columns: all', { columns: 'all' }],
  ['profile: DSP, split: Day', { profile: 'dsp', split: 'day' }],
  ['strict: True, excel: "false"', { strict: true, excel: false }],
  ['compare: true', { compare: 'previous' }],
  ['compare: false', { compare: false }],
  ['compare: last-year', { compare: 'last-year' }],
  ['no-clobber: true', { clobber: false }],
  ['output: [a.html, b.xlsx]', { output: ['a.html', 'b.xlsx'] }],
  ['', {}],
])('%s', async (keys, expected) => {
  expect(await readKeys(keys)).toEqual(expected);
});

test('a report wins over the defaults; a period replaces another one completely', async () => {
  const text =
    'defaults: {since: 2026-11-01, until: now, strict: true}\nreports: {a: {period: 2026, strict: false}}';
  expect(await read(text)).toEqual({ period: '2026', strict: false });
});

test.each([
  ['reports:\n  a:\n    perid: x', '3: Unknown key “perid”. Did you mean period?'],
  ['defaults:\n  metrisc: x\nreports: {a: }', '2: Unknown key “metrisc”. Did you mean metrics?'],
  ['report:\n  a: {}', '1: Unknown key “report”. Did you mean reports?'],
  ['reports:\n  a:\n    period:', '3: period needs a value or a list of values.'],
  ['reports:\n  a:\n    by: [[x]]', '3: by needs a value or a list of values.'],
  ['reports:\n  a:\n    filter: {osId: 1}', '3: filter needs a value or a list of values.'],
  ['reports:\n  a:\n    split: [day, week]', '3: Unknown split “day,week”.'],
  ['reports:\n  a:\n    split: dya', '3: Unknown split “dya”. Did you mean day?'],
  ['reports:\n  a:\n    timeout: 25h', '3: Invalid --timeout “25h”.'],
  ['reports:\n  a:\n    dry-run: true', '3: Unknown key “dry-run”.'],
  ['- a\n- b', '1: The file must contain keys'],
  ['reports:\n  a: 1', '2: a must contain keys'],
  ['reports:\n  a: {}\n  a: {}', '3: invalid YAML'],
  ['reports:\n  a: {bye: x}\ndefaults: {\n  perid: x}', '2: Unknown key “bye”. Did you mean by?'],
])('%j is refused', async (text, expected) => {
  expect(await refusal(text)).toContain(`adreport.yaml:${expected}`);
});

test.each(['{date}.csv', '[{since}.html, {since}.xlsx]'])(
  'a name with braces needs quotes: %s',
  async (output) => {
    const message = await refusal(`reports: {a: {by: [OS]}}\ndefaults:\n  output: ${output}`);
    expect(message).toMatch(
      /^adreport.yaml:3: invalid YAML: .* Put quotes around names with braces/,
    );
  },
);

test.each(['token', 'password', 'api-key', 'client_secret', 'authorization', 'base-url'])(
  'a secret, or the URL it is sent to, is refused without its value: %s',
  async (key) => {
    for (const text of [`${key}: x1x`, `reports: {a: {${key}: x1x}}`]) {
      expect(await refusal(text)).toContain('is not allowed in this file');
      expect(await refusal(text)).not.toContain('x1x');
    }
  },
);
