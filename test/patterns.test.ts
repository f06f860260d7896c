import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';

// No pattern may take longer than its text is long: texts come from files and services.

const root = join(import.meta.dirname, '../src');

const literal =
  /(?<=[(=,:!&|?[;]\s*|return )\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[gimsuvy]*/g;

/** The regular expressions of the sources. */
function patterns(): string[] {
  const found = new Set<string>();
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const source = readFileSync(join(root, name), 'utf8').replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, '');
    for (const [pattern] of source.matchAll(literal)) found.add(pattern);
  }
  return [...found];
}

const count = 20_000;
const runs = [' ', '\n', '0', 'a', '-', '.', ',', '/', '"', '\\', '{'];
const starts = ['', '€', '"', 'a'];
const ends = ['0', '!'];

/** Patterns that read only our own texts, flags, or texts whose length or form is known before. */
const ownTexts = [
  String.raw`/(\w+) (\d+)/g`,
  String.raw`/(?<=\d)(?=(?:\d{3})+$)/g`,
  String.raw`/^\s*(.*?)(?::(asc|desc))?\s*$/i`,
  String.raw`/\s*–\s*/`,
  '/\\n*(```\\w*\\n[\\s\\S]*?\\n```)\\n*/',
  String.raw`/^(\S.*?) {2,}(# .*)$/`,
  String.raw`/(?<=^\s*|: )adreport [a-z-]/`,
  '/0+$/',
  String.raw`/\B(?=(?:\d{3})+$)/g`,
  String.raw`/\\+(?="|$)/g`,
  String.raw`/[.\s]+$/`,
];

test('every pattern that reads outside text reads a long repeat in a moment', () => {
  const texts = runs.flatMap((run) => {
    return starts.flatMap((start) =>
      ends.map((end) => start + run.repeat(count / run.length) + end),
    );
  });
  const context = createContext({ texts });
  expect(patterns().length).toBeGreaterThan(100);
  const slow: string[] = [];
  for (const pattern of patterns()) {
    if (ownTexts.includes(pattern)) continue;
    try {
      runInContext(`for (const text of texts) ${pattern}[Symbol.match](text)`, context, {
        timeout: 3_000,
      });
    } catch {
      slow.push(pattern);
    }
  }
  expect(slow).toEqual([]);
}, 60_000);
