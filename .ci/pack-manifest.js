// What an install needs of package.json, and nothing else, stands in the packed one: called before packing, and after.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const whole = 'node_modules/.package.json';

if (process.argv[2] === 'restore') {
  if (existsSync(whole)) renameSync(whole, 'package.json');
} else {
  const text = readFileSync('package.json', 'utf8');
  const { scripts, devDependencies, overrides, allowScripts, knip, ...packed } = JSON.parse(text);
  writeFileSync(whole, text);
  writeFileSync('package.json', `${JSON.stringify(packed, null, 2)}\n`);
}
