// After `vitest run --coverage`: names the lines that no test runs, and fails for those that `test/uncovered.md` does not
// justify, and for lines that it justifies and that are gone.
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const root = join(import.meta.dirname, '..');
const list = 'test/uncovered.md';

/** A line by its file and what it says: where it stands changes with every edit above it. */
const keyOf = (file, text) => `${file} | ${text}`;

const linesOf = (file) => readFileSync(join(root, file), 'utf8').split('\n');

/** The rows of the list: a file, a line of it, and why no test runs it. */
function readJustified() {
  const rows = linesOf(list).filter((line) => line.startsWith('- '));
  return rows.map((row) => {
    const [, file, text, reason] = /^- (\S+) \| (.+) \| ([^|]+)$/.exec(row) ?? [];
    if (!reason) throw new Error(`${list}: this row is not “- file | line | reason”: ${row}`);
    return { file, text };
  });
}

/** Where statements begin that no test has run. */
function readUncovered() {
  const coverage = JSON.parse(readFileSync(join(root, 'coverage/coverage-final.json'), 'utf8'));
  return Object.values(coverage).flatMap(({ path, statementMap, s }) => {
    const file = relative(root, path).split(sep).join('/');
    const source = linesOf(file);
    const starts = Object.keys(s).filter((id) => s[id] === 0);
    const numbers = [...new Set(starts.map((id) => statementMap[id].start.line))];
    return numbers.sort((a, b) => a - b).map((line) => ({ file, line, text: source[line - 1].trim() }));
  });
}

const justified = readJustified();
const known = new Set(justified.map(({ file, text }) => keyOf(file, text)));
const uncovered = readUncovered();
const open = uncovered.filter(({ file, text }) => !known.has(keyOf(file, text)));
const gone = justified.filter(({ file, text }) => {
  try {
    return !linesOf(file).some((line) => line.trim() === text);
  } catch {
    return true;
  }
});

console.log(
  `\n${uncovered.length} lines are run by no test, ${uncovered.length - open.length} of them for a reason that ${list} gives.`,
);
for (const { file, line, text } of open) console.log(`  ${file}:${line}: ${text}`);
if (open.length > 0) console.log(`Test them, or say in ${list} why not.`);
for (const { file, text } of gone) console.log(`${list} justifies a line that is gone: ${file} | ${text}`);
process.exitCode = open.length + gone.length > 0 ? 1 : 0;
