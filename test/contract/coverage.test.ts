import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { statementsOf } from './statements.ts';

/** `coverage.md` names, for every statement of the contract's two texts, the tests that show it, or that it is no rule. */

interface CoverageRow {
  readonly statement: string;
  /** None for what is no rule. */
  readonly tests: readonly {
    /** Relative to `test/`. */
    readonly file: string;
    readonly title: string;
  }[];
}

/** The rows under a document's heading; a cell holds no bar, because statements write `·` for it. */
function rowsOf(document: string): CoverageRow[] {
  const text = readFileSync(join(import.meta.dirname, 'coverage.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${document}\n`)) ?? '';
  return section.split('\n').flatMap((line) => {
    const [, statement = '', shownBy = ''] = /^\| (.+) \| (.+) \|$/.exec(line) ?? [];
    if (statement === '' || statement === 'statement') return [];
    const tests = shownBy.split('<br>').map((cell) => {
      const [, file = '', title = cell] = /^(\S+\.test\.ts): (.+)$/.exec(cell) ?? [];
      return { file, title };
    });
    return [{ statement, tests: shownBy === 'no rule' ? [] : tests }];
  });
}

describe.each(['reporting-service.md', 'decisions.md'])('%s', (document) => {
  const statements = statementsOf(document);
  const rows = rowsOf(document);

  test('has the statements that it is known to have', () => {
    expect(statements.length).toBeGreaterThan(80);
    expect(statements.filter((statement) => statement.includes('|'))).toEqual([]);
  });

  test('every statement stands in the table', () => {
    const shown = new Set(rows.map(({ statement }) => statement));
    expect(statements.filter((statement) => !shown.has(statement))).toEqual([]);
  });

  test('no row of the table is about a statement that is gone', () => {
    const stated = new Set(statements);
    expect(rows.filter(({ statement }) => !stated.has(statement))).toEqual([]);
  });

  test('every test that is named exists', () => {
    const named = rows.flatMap(({ tests }) => tests);
    const missing = named.filter(({ file, title }) => file === '' || !titlesIn(file).has(title));
    expect(missing.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
  });

  test('few statements are no rule', () => {
    expect(rows.filter(({ tests }) => tests.length === 0).length).toBeLessThan(12);
  });
});

const titles = new Map<string, Set<string>>();

/** The titles of a file's tests and groups of tests, as they are written. */
function titlesIn(file: string): Set<string> {
  const known = titles.get(file);
  if (known) return known;
  const source = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
  // `test('…'`, `describe("…"`, and what follows `.each(…)`.
  const quoted = source.matchAll(/(?:\b(?:test|describe)\(|\)\()\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)")/g);
  const found = new Set([...quoted].map(([, single = '', double]) => double ?? single.replaceAll("\\'", "'")));
  titles.set(file, found);
  return found;
}
