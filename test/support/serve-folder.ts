import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fillOnce } from './fill-once.ts';
import { serveForTest } from './service.ts';

const now = Date.parse('2026-11-03T10:00:00Z');

/** Starts a service, and fills a folder `data` with a run. */
export async function serveFolder(flags: string, account: 'buyer' | 'dsp' = 'buyer') {
  const service = await serveForTest({ delayMs: 0, clock: () => now }, account);
  const run = (line: string, env: NodeJS.ProcessEnv = {}) => service.run(line, { now, env });
  await fillOnce(`${account} ${flags}`, service.cwd, async () => {
    const { exitCode, stderr } = await run(`run ${flags} -q`);
    expect(exitCode, stderr).toBe(0);
  });

  const at = (name: string): string => join(service.cwd, name);
  const read = (name: string): string => readFileSync(at(name), 'utf8');
  return { ...service, run, at, read };
}

/** Removes the origin from a page or a table: the report's id, and the times of its rows. */
export function withoutOrigin(text: string): string {
  return text
    .replaceAll(/Report ID [0-9a-f]+ ?|\n?<dt>Report ID<\/dt><dd>[^<]*<\/dd>/g, '')
    .replaceAll(/Downloaded [^:]*:\d\d UTC ?|\n?<dt>Downloaded<\/dt><dd>[^<]*<\/dd>/g, '');
}
