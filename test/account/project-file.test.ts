import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readProjectDefaults, readProjectFile } from '../../src/account/project-file.ts';
import { temporaryFolder } from '../support/run-cli.ts';

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
    { text: '', expected: {} },
  ])('$text gives $expected', async ({ text, expected }) => {
    expect(await read(text)).toEqual(expected);
  });

  test('a missing or invalid file is refused with its path', async () => {
    await expect(read('defaults: {')).rejects.toThrow(/adreport\.yaml:\d+: invalid YAML/);

    const missing = join(temporaryFolder(), 'adreport.yaml');

    await expect(readProjectFile(missing, missing)).rejects.toThrow(
      `Cannot read ${missing}: it does not exist.`,
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
      make: (path: string) =>
        writeFileSync(path, `defaults: {x: &a [b], y: [${'*a,'.repeat(200)}]}\n`),
      why: 'more than 100 of them',
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
