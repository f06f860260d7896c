import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileLine } from '../../src/archive/forms.ts';
import { describeWindow, splitWindow, type Window } from '../../src/report/window.ts';
import { serveForTest } from '../support/service.ts';
import { spawnCli } from '../support/spawn.ts';

/**
 * `NODE_OPTIONS` with which a process prints, as it ends, the seconds of processor time and the
 * megabytes that it took.
 */
const tellsCost =
  "--import data:text/javascript,process.on('exit',()=>{const{userCPUTime:u,systemCPUTime:s,maxRSS:m}=process.resourceUsage();console.error('cost',(u+s)/1e6,m/1024)})";

/** So many days of Paris before 2026-11-01. */
function lastDays(count: number): Window[] {
  const until = Date.parse('2026-10-31T23:59:59+01:00') / 1_000;
  const since = until - (count + 1) * 86_400;
  const days = splitWindow({ since, until, zone: 'Europe/Paris', notes: [] }, 'day');
  return days.slice(-count);
}

/**
 * A folder of Parquet days before 2026-11-01, all of them copies of one, each with its line in the
 * books.
 */
async function fillFolder(days: number) {
  const { run, cwd, env } = await serveForTest({ delayMs: 0 });
  const request = '--by CAMPAIGN --metrics displays,clicks --split day';
  const last = '--period 2026-10-31 -q -o data/date={date}/part.parquet';
  expect(await run(`run ${request} ${last}`)).toMatchObject({ exitCode: 0 });

  const books = join(cwd, 'data/_adreport.ndjson');
  const [order = '', first = ''] = readFileSync(books, 'utf8').split('\n');
  const line: FileLine = JSON.parse(first);
  const source = join(cwd, 'data', line.file);
  const lines: string[] = [order];

  for (const window of lastDays(days)) {
    const { since, until } = describeWindow(window);
    const file = `date=${since.slice(0, 10)}/part.parquet`;
    const path = join(cwd, 'data', file);
    mkdirSync(dirname(path), { recursive: true });
    if (file !== line.file) copyFileSync(source, path);
    lines.push(JSON.stringify({ ...line, file, since, until }));
  }
  writeFileSync(books, `${lines.join('\n')}\n`);

  /** What a command line costs here, at best of three. */
  async function costOf(more: string): Promise<Cost> {
    let best: Cost = { seconds: Number.POSITIVE_INFINITY, megabytes: 0 };
    for (let round = 0; round < 3; round += 1) {
      const result = await spawnCli(more, { cwd, env: { ...env, NODE_OPTIONS: tellsCost } });
      expect(result.exitCode, result.stderr).toBe(0);
      const [, seconds, megabytes] = /cost ([\d.]+) ([\d.]+)/.exec(result.stderr) ?? [];
      if (Number(seconds) < best.seconds) {
        best = { seconds: Number(seconds), megabytes: Number(megabytes) };
      }
    }
    return best;
  }

  const missing = `run ${request} --missing -q -o data/date={date}/part.parquet`;
  return { books, lines, costOf, missing };
}

/** What a process took. */
interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
}

test('--missing over ten years of Parquet days with nothing to do takes no more than seconds', async () => {
  const { costOf, missing } = await fillFolder(3_650);
  const help = await costOf('--help');

  const nothing = await costOf(`${missing} --period 2016-11-03..2026-10-31`);

  expect(nothing.seconds).toBeLessThan(2 * help.seconds + 6);
});

test('a hundred thousand lines of the books take seconds, and 150 MB', async () => {
  const { books, lines, costOf, missing } = await fillFolder(365);
  const help = await costOf('--help');
  const all = Array.from({ length: 100_000 }, (_, index) => lines[index % lines.length]);
  writeFileSync(books, `${all.join('\n')}\n`);

  const { seconds, megabytes } = await costOf(`${missing} --period 2025-11-01..2026-10-31`);

  // Processor time is doubled where other processes share the cores.
  expect(seconds - help.seconds).toBeLessThan(6);
  expect(megabytes - help.megabytes).toBeLessThan(150);
});
