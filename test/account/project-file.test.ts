import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readProjectDefaults } from '../../src/account/project-file.ts';
import { UsageError } from '../../src/errors.ts';
import { readSavedReports } from '../../src/query/saved-reports.ts';
import { temporaryFolder } from '../support/run-cli.ts';

function parse(text: string) {
  const path = join(temporaryFolder(), 'adreport.yaml');
  writeFileSync(path, text);
  return readSavedReports(path, 'adreport.yaml');
}

async function fault(text: string): Promise<string> {
  try {
    await parse(text);
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} ${error.hint ?? ''}`;
  }
  return 'accepted';
}

describe('values', () => {
  test('scalars stay as written', async () => {
    const { reports } = await parse(
      'reports:\n  a:\n    period: 2026\n    by: 2026-10\n    output: "0012"\n',
    );
    const entries = [...(reports.get('a')?.entries ?? [])];

    expect(Object.fromEntries(entries.map(([key, { texts }]) => [key, texts]))).toEqual({
      period: ['2026'],
      by: ['2026-10'],
      output: ['0012'],
    });
  });

  test('lists and comma strings, filters as mappings, aliases', async () => {
    const text = [
      'defaults: {metrics: "displays, clicks"}',
      'reports:',
      '  a: {by: &by [DAILY, CAMPAIGN], filter: {countryId: [1, 2], carrier: ["A, B", C]}}',
      '  b: {by: *by, filter: [osId=1]}',
    ].join('\n');

    const { defaults, reports } = await parse(text);

    expect(defaults.entries.get('metrics')?.texts).toEqual(['displays, clicks']);
    expect(reports.get('a')?.entries.get('filter')?.texts).toEqual([
      'countryId=1,2',
      'carrier="A, B",C',
    ]);
    expect(reports.get('b')?.entries.get('by')?.texts).toEqual(['DAILY', 'CAMPAIGN']);
  });
});

describe('the defaults for all commands', () => {
  const read = async (text: string) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'adreport.yaml'), text);
    return readProjectDefaults(folder, () => {});
  };

  test.each([
    {
      text: 'defaults: {account: work, profile: dsp, by: DAILY}\nreports: 7\n',
      expected: { account: 'work', profile: 'dsp' },
    },
    { text: 'defaults: {account: 2026}\n', expected: { account: '2026' } },
    {
      text: 'defaults: {encoding: form, window-clock: wall}\n',
      expected: { encoding: 'form', windowClock: 'wall' },
    },
    { text: 'defaults: {window-clock: wall}\n', expected: { windowClock: 'wall' } },
    { text: 'x: &name work\ndefaults: {account: *name}\n', expected: { account: 'work' } },
    { text: 'defaults: {account: }\n', expected: {} },
    { text: 'defaults: work\n', expected: {} },
    { text: '', expected: {} },
  ])('$text gives $expected', async ({ text, expected }) => {
    expect(await read(text)).toEqual(expected);
  });

  test('a missing or invalid file is refused with its path', async () => {
    await expect(read('defaults: {')).rejects.toThrow(/adreport\.yaml:\d+: invalid YAML/);

    const missing = join(temporaryFolder(), 'adreport.yaml');

    await expect(readSavedReports(missing, missing)).rejects.toThrow(
      `Cannot read ${missing}: there is no such file.`,
    );
  });
});

describe('a file that cannot be read', () => {
  const folder = () => join(temporaryFolder(), 'project');

  const harms = [
    {
      name: 'a folder',
      make: (path: string) => mkdirSync(path),
      why: 'it is a folder',
    },
    {
      name: 'an endless device',
      make: (path: string) => symlinkSync('/dev/zero', path),
      why: 'it is not a regular file',
    },
    {
      name: 'more than 64 KB',
      make: (path: string) => writeFileSync(path, `#${'x'.repeat(64 * 1024)}`),
      why: 'it is larger than 64 KB',
    },
    {
      name: 'UTF-16',
      make: (path: string) => writeFileSync(path, '\ufeffdefaults: {}', 'utf16le'),
      why: 'it is UTF-16',
    },
    {
      name: 'Latin-1',
      make: (path: string) => writeFileSync(path, '# é', 'latin1'),
      why: 'it is not UTF-8',
    },
    {
      name: 'too many aliases',
      make: (path: string) => writeFileSync(path, `x: &a [b]\ny: [${'*a,'.repeat(200)}]\n`),
      why: 'the file has more than 100 aliases',
    },
  ];
  const isPossible = ({ name }: { name: string }) =>
    process.platform !== 'win32' || name !== 'an endless device';

  test.each(harms.filter(isPossible))(
    '$name is refused in the working folder; in a parent folder it is ignored with a warning',
    async ({ make, why }) => {
      const above = folder();
      const below = join(above, 'below');
      mkdirSync(below, { recursive: true });
      make(join(above, 'adreport.yaml'));
      const warnings: string[] = [];

      await expect(readProjectDefaults(above, () => {})).rejects.toThrow(why);
      expect(await readProjectDefaults(below, (sentence) => warnings.push(sentence))).toEqual({});
      expect(warnings).toEqual([expect.stringMatching(new RegExp(`${why}.*Ignoring it`))]);
    },
  );
});

describe('a mistake is reported with its line, its key and the nearest known key', () => {
  test.each([
    {
      text: 'reports:\n  a:\n    perid: x\n',
      expected: 'adreport.yaml:3: Unknown key “perid”. Did you mean period?',
    },
    {
      text: 'defaults:\n  metrisc: x\n',
      expected: 'adreport.yaml:2: Unknown key “metrisc”. Did you mean metrics?',
    },
    {
      text: 'report:\n  a: {}\n',
      expected: 'adreport.yaml:1: Unknown key “report”. Did you mean reports?',
    },
    {
      text: 'reports:\n  a:\n    period:\n',
      expected: 'adreport.yaml:3: period needs a value or a list',
    },
    {
      text: 'reports:\n  a:\n    by: []\n',
      expected: 'adreport.yaml:3: by needs a value or a list',
    },
    {
      text: 'reports:\n  a:\n    by: [[x]]\n',
      expected: 'adreport.yaml:3: by needs a value or a list',
    },
    { text: 'reports: nightly\n', expected: 'adreport.yaml:1: reports must contain keys' },
    { text: '- a\n- b\n', expected: 'adreport.yaml:1: The file must contain keys' },
    { text: 'reports:\n  a: 1\n', expected: 'adreport.yaml:2: a must contain keys' },
    { text: 'reports:\n  -a: {}\n', expected: 'not a valid name for a report' },
    { text: 'reports:\n  a: {}\n  a: {}\n', expected: 'adreport.yaml:3: invalid YAML' },
    { text: 'reports:\n\ta: 1\n', expected: 'adreport.yaml:2: invalid YAML' },
    { text: 'reports: {}\n---\nreports: {}\n', expected: 'invalid YAML' },
  ])('$text', async ({ text, expected }) => {
    expect(await fault(text)).toContain(expected);
  });

  test('all mistakes are reported together', async () => {
    expect(await fault('defaults:\n  perid: x\nreports:\n  a:\n    bye: y\n')).toMatch(
      /^adreport\.yaml:2: .*\nadreport\.yaml:5: /,
    );
  });

  test.each([
    'token',
    'password',
    'api-key',
    'ADREPORT_TOKEN',
    'client_secret',
    'authorization',
    'base-url',
  ])('a secret, or the address it is sent to, is refused: %s', async (key) => {
    for (const text of [
      `${key}: x\n`,
      `defaults:\n  ${key}: x\n`,
      `reports:\n  a:\n    ${key}: "hunter2"\n`,
    ]) {
      expect(await fault(text)).toContain('is not allowed in this file');
      expect(await fault(text)).not.toContain('hunter2');
    }
  });
});

describe('the form of the file', () => {
  const ofReport = (keys: string) => `reports: {a: {${keys}}}`;

  test.each([
    { text: '', isAccepted: true },
    { text: 'defaults:\nreports:\n', isAccepted: true },
    { text: 'reports: {a: }', isAccepted: true },
    { text: 'reports: {Été: {}, _b: {}, 2026: {}}', isAccepted: true },
    {
      text: ofReport('period: 2026, by: [DAILY, CAMPAIGN], columns: "date, clicks"'),
      isAccepted: true,
    },
    { text: ofReport('since: 1793491200, until: 2026-11-01, lookback: 3'), isAccepted: true },
    {
      text: ofReport('profile: DSP, split: Day, missing: True, strict: "false"'),
      isAccepted: true,
    },
    {
      text: ofReport('filter: {countryId: [1, 2], carrier: A}, campaign: [Summer*]'),
      isAccepted: true,
    },
    { text: ofReport('filter: [osId=1, countryId=2]'), isAccepted: true },
    { text: ofReport('window-clock: wall'), isAccepted: true },
    { text: ofReport('windowClock: wall'), isAccepted: true },
    { text: ofReport('excel: true'), isAccepted: true },
    { text: 'report: {}', isAccepted: false },
    { text: '[a, b]', isAccepted: false },
    { text: 'defaults: {perid: 2026}', isAccepted: false },
    { text: 'reports: nightly', isAccepted: false },
    { text: 'reports: {-a: {}}', isAccepted: false },
    { text: 'reports: {a: 1}', isAccepted: false },
    { text: ofReport('token: abc'), isAccepted: false },
    { text: ofReport('dry-run: true'), isAccepted: false },
    { text: ofReport('period: '), isAccepted: false },
    { text: ofReport('period: ""'), isAccepted: false },
    { text: ofReport('period: [2026]'), isAccepted: false },
    { text: ofReport('by: []'), isAccepted: false },
    { text: ofReport('by: [[x]]'), isAccepted: false },
    { text: ofReport('missing: perhaps'), isAccepted: false },
    { text: ofReport('missing: [true]'), isAccepted: false },
    { text: ofReport('split: dya'), isAccepted: false },
    { text: ofReport('format: [csv, json]'), isAccepted: false },
    { text: ofReport('filter: {countryId: []}'), isAccepted: false },
  ])('$text', async ({ text, isAccepted }) => {
    expect((await fault(text)) === 'accepted').toBe(isAccepted);
  });
});
