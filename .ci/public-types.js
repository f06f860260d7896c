// Leaves in dist/types what the public declarations lead to, and nothing else: an install carries no others, and none
// that would ask for a package of ours. Run after tsc, which writes one for every source file it meets.
import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folder = join('dist', 'types');
const reached = new Set();

function follow(file) {
  if (reached.has(file)) return;
  reached.add(file);
  for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/\b(?:from|import)[\s(]*'([^']+)'/g)) {
    if (specifier.startsWith('.')) follow(join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')));
    else if (!specifier.startsWith('node:')) throw new Error(`${file} asks for the package ${specifier}.`);
  }
}

function removeUnreached(current) {
  for (const entry of readdirSync(current, { withFileTypes: true })) {
    const path = join(current, entry.name);
    if (entry.isDirectory()) removeUnreached(path);
    else if (!reached.has(path)) rmSync(path);
  }
  if (readdirSync(current).length === 0) rmdirSync(current);
}

follow(join(folder, 'local-server.d.ts'));
removeUnreached(folder);
