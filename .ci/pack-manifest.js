// npm calls this before it packs (`reduce`) and after (`restore`). In between, package.json holds only what an install
// needs of it: the packed one has no scripts and no packages of ours, which are bundled.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Where the whole file waits while npm packs. */
const wholeFile = 'node_modules/.package.json';

const [, , step] = process.argv;

if (step === 'restore') {
  if (existsSync(wholeFile)) renameSync(wholeFile, 'package.json');
} else {
  const text = readFileSync('package.json', 'utf8');
  const { scripts, devDependencies, overrides, allowScripts, knip, ...packed } = JSON.parse(text);

  writeFileSync(wholeFile, text);
  writeFileSync('package.json', `${JSON.stringify(packed, null, 2)}\n`);
}
