import { expect, test } from 'vitest';
import { runScript } from '../support/bundle.ts';

/** Reads a report to its end; prints how many characters it had and the most memory that the process ever took. */
const script = (years: number): string => `
  import { encodeCsv } from './src/server/encode.ts';
  import { computeReport } from './src/server/engine.ts';
  import { builtInFixtures } from './src/server/world/built-in.ts';
  const fixtures = builtInFixtures({ seed: 1, scale: 1 });
  const since = Date.UTC(2026 - ${years}, 0, 1) / 1000;
  const request = { since, until: Date.UTC(2026, 0, 1) / 1000, metrics: ['displays', 'revenueEuro'], breakdowns: ['HOURLY', 'ADUNIT'], filters: {} };
  const context = { nowMs: 0, restateDays: 0 };
  let characters = 0;
  for await (const piece of encodeCsv(computeReport(fixtures, fixtures.accounts[1], request, context))) characters += piece.length;
  console.log(JSON.stringify({ characters, megabytes: process.resourceUsage().maxRSS / 1024 }));
`;

function measure(years: number): { characters: number; megabytes: number } {
  return JSON.parse(runScript(script(years)));
}

test('an hourly report of forty years takes no more memory than one of two', () => {
  const [short, long] = [measure(2), measure(40)];
  expect(long.characters).toBeGreaterThan(10 * short.characters);
  expect(long.megabytes).toBeLessThan(short.megabytes + 40);
});
