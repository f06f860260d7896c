// npm calls this before it packs (`reduce`) and after (`restore`). In between, package.json holds
// only what an install needs of it: the packed one has no scripts and no packages of ours, which
// are bundled. Either step may run again.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Where the whole file waits while npm packs. */
const wholeFile = 'node_modules/.package.json';

restore();
if (process.argv[2] === 'reduce') reduce();

/** Puts the whole file back, where package.json is the reduced one. */
function restore() {
  if (!existsSync(wholeFile)) return;

  const isReduced = !('scripts' in JSON.parse(readFileSync('package.json', 'utf8')));
  if (isReduced) renameSync(wholeFile, 'package.json');
  else rmSync(wholeFile);
}

function reduce() {
  const text = readFileSync('package.json', 'utf8');
  const { scripts, devDependencies, overrides, allowScripts, knip, ...packed } = JSON.parse(text);

  writeFileSync(wholeFile, text);
  writeFileSync('package.json', `${JSON.stringify(packed, null, 2)}\n`);
}
