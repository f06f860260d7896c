import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formats } from '../../src/formats/index.ts';
import { commitFiles, discardFiles } from '../../src/output/commit-files.ts';
import { openOutput } from '../../src/output/file/output-file.ts';
import { WrittenFile } from '../../src/output/written-file.ts';
import { fileHost } from '../support/file-host.ts';
import { temporaryFolder } from '../support/run-cli.ts';

test('a rename that fails is exit 8, and names the files that are in place', async () => {
  const folder = temporaryFolder();
  const files: WrittenFile[] = [];
  for (const name of ['a.csv', 'b.csv', 'c.csv']) {
    const output = await openOutput(join(folder, name), { host: fileHost() });
    const encoder = await formats.csv.createEncoder({});
    const file = new WrittenFile({ name, encoder, output });
    await file.end({ rowCount: 0, fields: ['date'], summary: undefined, members: [] });
    files.push(file);
  }
  mkdirSync(join(folder, 'b.csv'));

  await expect(commitFiles(files)).rejects.toMatchObject({
    exitCode: 8,
    message: expect.stringMatching(/b\.csv.*Already in place: a\.csv\./),
  });
  await discardFiles(files);
  expect(readdirSync(folder)).toEqual(['a.csv', 'b.csv']);
});
