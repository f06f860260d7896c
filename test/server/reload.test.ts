import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportFixtures } from '../../src/server/fixtures/export.ts';
import type { LocalServerOptions } from '../../src/server/start.ts';
import { builtInFixtures } from '../../src/server/world/built-in.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { call, jsonOf, smallReport, startForTest } from './local.ts';

/** A server of a folder that holds two hours of the built-in data. */
async function serveFolder(options: LocalServerOptions = {}) {
  const folder = temporaryFolder();
  const { since } = smallReport;
  await exportFixtures(folder, { fixtures: builtInFixtures({ seed: 1, scale: 1 }), since, until: since + 7_199 });
  const notices: string[] = [];
  const server = await startForTest({ fixtures: folder, onNotice: (notice) => notices.push(notice), ...options });
  return { folder, notices, server };
}

type Served = Awaited<ReturnType<typeof serveFolder>>;

async function firstCampaign({ server }: Served): Promise<string | undefined> {
  const [campaign] = jsonOf(await call(server, '/campaigns', { as: 'admin' })) as { campaignName: string }[];
  return campaign?.campaignName;
}

function edit({ folder }: Served, file: string, change: (text: string) => string): void {
  const path = join(folder, file);
  // As editors save: a new file in the place of the old one.
  writeFileSync(`${path}~`, change(readFileSync(path, 'utf8')));
  renameSync(`${path}~`, path);
}

const waiting = { timeout: 10_000 };

test('an edit is served while the server runs; a broken one is told, and the last good data stay', async () => {
  const served = await serveFolder();
  const name = await firstCampaign(served);
  if (!name) throw new Error('The built-in data have a campaign.');
  const quoted = JSON.stringify(name);
  edit(served, 'campaigns.json', (text) => text.replace(quoted, '"Renamed"'));
  await expect.poll(() => firstCampaign(served), waiting).toBe('Renamed');
  await expect.poll(() => served.notices.at(-1), waiting).toMatch(/have changed: the server serves them now/);

  edit(served, 'campaigns.json', (text) => text.replace('"Renamed"', '"Renamed'));
  await expect
    .poll(() => served.notices.at(-1), waiting)
    .toMatch(/are wrong; the old ones stay\. .*campaigns\.json:\d+/);
  expect(await firstCampaign(served)).toBe('Renamed');

  edit(served, 'campaigns.json', (text) => text.replace('"Renamed', '"Again"'));
  await expect.poll(() => firstCampaign(served), waiting).toBe('Again');
});
