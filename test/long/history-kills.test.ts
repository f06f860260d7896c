import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readHistory } from '../../src/folder/history.ts';
import { clearFaults } from '../server/local.ts';
import { serveForTest } from '../support/service.ts';
import { spawnCli, type start, startCli } from '../support/spawn.ts';

const kills = 200;

/** Kills a program at a random moment; returns false if it ended before. */
async function killWithin({ child, ended }: ReturnType<typeof start>, mostMs: number) {
  const timer = setTimeout(() => child.kill('SIGKILL'), mostMs * Math.random());
  const { signal } = await ended;
  clearTimeout(timer);
  return signal === 'SIGKILL';
}

for (const ending of ['csv', 'parquet']) {
  test(`${kills / 2} kill -9 of cron lines and updates, alone, side by side and as shards: the next run fixes everything (${ending})`, async () => {
    const { server, cwd, env } = await serveForTest({ delayMs: 0, clock: Date.now });
    const folder = join(cwd, 'data');
    const request = '--by DAILY,CAMPAIGN --metrics displays,downloads -q --split day';
    const line = `run --period last-9d ${request} --lookback 4 -o data/{date}.${ending}`;
    const shards = [`${line} --shard 1/2`, `${line} --shard 2/2`];
    const update = 'update data';
    const starters = [[line], [line, line, ...shards], [update], shards, [update, line]];

    /** Makes the service report other figures from now on. */
    const restate = async (round: number): Promise<void> => {
      await clearFaults(server);
      server.fault({
        endpoint: 'download',
        change: (document) => {
          const data = document.data.map((row) => {
            return { ...row, displays: Number(row.displays) + round };
          });
          return { ...document, data };
        },
      });
    };

    const expectRun = async (): Promise<void> => {
      expect(await spawnCli(line, { cwd, env })).toMatchObject({ exitCode: 0 });
    };

    const expectWhole = async (): Promise<void> => {
      await expectRun();
      const checked = await spawnCli('check data --json', { cwd, env });
      expect(JSON.parse(checked.stdout).problems).toEqual([]);

      const files = readdirSync(folder).filter((name) => !name.startsWith('_'));
      const { signal } = new AbortController();
      const { lines } = await readHistory(folder, signal);
      expect(files.sort()).toEqual([...lines.keys()].sort());
      expect(files).toHaveLength(9);
    };

    await expectRun();
    // The time of a single run. Concurrent runs take longer, so most of them are killed.
    const startedMs = performance.now();
    await expectRun();
    const runMs = performance.now() - startedMs;

    let left = kills / 2;
    for (let round = 0; left > 0; round += 1) {
      await restate(round);
      const lines = starters[round % starters.length] ?? [];
      if (lines.includes(update)) {
        for (const name of readdirSync(folder)) {
          if (!name.startsWith('_')) rmSync(join(folder, name));
        }
      }
      const runs = lines.map((command) => startCli(command, { cwd, env }));
      const killed = await Promise.all(runs.map((run) => killWithin(run, runMs)));
      left -= killed.filter(Boolean).length;
      expect(existsSync(folder)).toBe(true);
      if (round % 5 === 4) await expectWhole();
    }

    await expectWhole();
  });
}
