import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createSpool } from '../../src/output/file/temporary-file.ts';
import { temporaryFolder } from '../support/run-cli.ts';

test('gives back what was written, from a file that has no name', async () => {
  const folder = temporaryFolder();
  const spool = await createSpool(folder);
  expect(readdirSync(folder)).toEqual([]);
  const pieces = Array.from({ length: 300 }, (_, index) => Buffer.alloc(5_000, index % 251));
  for (const piece of pieces) await spool.write(piece);
  await spool.finish();
  const read: Buffer[] = [];
  for await (const piece of spool.read()) read.push(piece);
  expect(Buffer.concat(read).equals(Buffer.concat(pieces))).toBe(true);
  await spool.close();
  await spool.close();
});

test('a folder that cannot be written to is exit 8', async () => {
  await expect(createSpool('/nowhere/at/all')).rejects.toMatchObject({ exitCode: 8 });
});
