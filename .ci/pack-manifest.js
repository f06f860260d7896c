// npm runs this before packing (`reduce`) and after (`restore`). In between, package.json has no
// scripts and no development packages, so that neither is in the package. Both steps can be
// repeated.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The complete file while npm packs. */
const wholeFile = 'node_modules/.package.json';

restore();
if (process.argv[2] === 'reduce') reduce();

/** Restores the complete file if package.json is the reduced one. */
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
