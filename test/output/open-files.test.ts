import { readdirSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { serveForTest } from '../support/service.ts';

/** Counts the files without a name that this process has open. */
function countUnlinked(): number {
  const folder = '/proc/self/fd';
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.endsWith('(deleted)')).length;
}

test.runIf(process.platform === 'linux')(
  'a merged split of 50 days never has more than 32 temporary files open',
  async () => {
    const { server, run, calls } = await serveForTest({ delayMs: 0 });
    const before = countUnlinked();
    const counts: number[] = [];
    server.fault({
      endpoint: 'download',
      change: async (document) => {
        // The first day, which is written first, waits for as many as may be downloaded ahead.
        const isFirst = String(document.summary.since).startsWith('2026-09-12');
        if (isFirst) await expect.poll(() => calls('download')).toBe(32);
        counts.push(countUnlinked() - before);
        return document;
      },
    });

    const days = '--period 2026-09-12..2026-10-31 --split day';
    const result = await run(`run ${days} --by DAILY --metrics displays -q --format ndjson`);

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout.trim().split('\n')).toHaveLength(50);
    expect(counts).toHaveLength(50);
    expect(Math.max(...counts)).toBeGreaterThan(16);
    expect(Math.max(...counts)).toBeLessThanOrEqual(32);
  },
);
