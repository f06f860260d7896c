import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileLine } from '../../src/folder/history-schema.ts';
import { formatEnds, unitsIn, type Window } from '../../src/query/calendar.ts';
import { serveForTest } from '../support/service.ts';
import { spawnCli } from '../support/spawn.ts';

/**
 * `NODE_OPTIONS` that make a process print its processor time in seconds and its peak memory in MB
 * at its end.
 */
const printsCost =
  "--import data:text/javascript,process.on('exit',()=>{const{userCPUTime:u,systemCPUTime:s,maxRSS:m}=process.resourceUsage();console.error('cost',(u+s)/1e6,m/1024)})";

/** The last `count` days before 2026-11-01 in Paris. */
function lastDays(count: number): Window[] {
  const until = Date.parse('2026-10-31T23:59:59+01:00') / 1_000;
  const since = until - (count + 1) * 86_400;
  const zone = 'Europe/Paris';
  const days = [...unitsIn({ since, until, zone }, 'day')].slice(-count);
  return days.map((day) => ({ since: day.since, until: day.end - 1, end: day.end, zone }));
}

/** The cost of a process. */
interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
}

/**
 * A folder with the days before 2026-11-01, all copies of one file of 4 KB, each with its history
 * line.
 */
async function fillFolder(days: number) {
  const { run, cwd, env } = await serveForTest({ delayMs: 0 });
  const line = 'run --by HOURLY,OS --metrics displays,clicks,revenueEuro --split day --lookback 3';
  const output = '-q -o data/date={date}/part.csv';
  expect(await run(`${line} --since 2026-10-31 --until 2026-10-31 ${output}`)).toMatchObject({
    exitCode: 0,
  });

  const path = join(cwd, 'data/_adreport.history');
  const [first = ''] = readFileSync(path, 'utf8').split('\n');
  const copied: FileLine = JSON.parse(first);
  const bytes = readFileSync(join(cwd, 'data', copied.file));
  expect(bytes.length).toBeGreaterThan(3_000);
  const [begin] = lastDays(days).map((window) => formatEnds(window).since.slice(0, 10));
  const declaration = join(cwd, 'data/_adreport.yaml');
  const declared = readFileSync(declaration, 'utf8');
  writeFileSync(declaration, declared.replace('since: 2026-10-31', `since: ${begin}`));
  const lines: string[] = [];

  for (const window of lastDays(days)) {
    const { since, until } = formatEnds(window);
    const file = `date=${since.slice(0, 10)}/part.csv`;
    mkdirSync(dirname(join(cwd, 'data', file)), { recursive: true });
    writeFileSync(join(cwd, 'data', file), bytes);
    lines.push(JSON.stringify({ ...copied, file, since, until }));
  }
  writeFileSync(path, `${lines.join('\n')}\n`);

  /** The cost of a command line, the best of three. */
  async function costOf(more: string): Promise<Cost> {
    let best: Cost = { seconds: Number.POSITIVE_INFINITY, megabytes: 0 };
    for (let round = 0; round < 3; round += 1) {
      const result = await spawnCli(more, { cwd, env: { ...env, NODE_OPTIONS: printsCost } });
      expect(result.exitCode, result.stderr).toBe(0);
      const [, seconds, megabytes] = /cost ([\d.]+) ([\d.]+)/.exec(result.stderr) ?? [];
      if (Number(seconds) < best.seconds) {
        best = { seconds: Number(seconds), megabytes: Number(megabytes) };
      }
    }
    console.log(more.slice(0, 60), best);
    return best;
  }

  const nightly = `${line} --since ${begin} --until 2026-10-31 ${output}`;
  return { path, lines, costOf, nightly };
}

test('a history of a hundred thousand lines takes seconds and 150 MB', async () => {
  const { path, lines, costOf, nightly } = await fillFolder(365);
  const help = await costOf('--help');
  const all = Array.from({ length: 100_000 }, (_, index) => lines[index % lines.length]);
  writeFileSync(path, `${all.join('\n')}\n`);

  const { seconds, megabytes } = await costOf(nightly);

  expect(seconds - help.seconds).toBeLessThan(6);
  expect(megabytes - help.megabytes).toBeLessThan(150);
}, 600_000);
