import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { statementsOf } from './statements.ts';

/** `coverage.md` names, for every statement of the contract's two texts, a test that shows it. */

interface CoverageRow {
  readonly statement: string;
  /** The test file, relative to `test/`. */
  readonly file: string;
  readonly title: string;
}

/** The rows under a document's heading; a cell holds no bar, because statements write `·` for it. */
function rowsOf(document: string): CoverageRow[] {
  const text = readFileSync(join(import.meta.dirname, 'coverage.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${document}\n`)) ?? '';
  return section.split('\n').flatMap((line) => {
    const [, statement = '', file = '', title = ''] = /^\| (.+) \| (\S+\.test\.ts): (.+) \|$/.exec(line) ?? [];
    return statement === '' ? [] : [{ statement, file, title }];
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
    const missing = rows.filter(({ file, title }) => !titlesIn(file).has(title));
    expect(missing.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
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
