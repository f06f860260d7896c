import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LocalServerOptions } from '../../src/server/start.ts';
import type { CliOptions } from './run-cli.ts';
import { serveForTest } from './service.ts';

const dayMs = 86_400_000;

/** A folder `data` with a service, and a clock that moves when a test says so. */
export async function openFolderScene(
  options: Pick<LocalServerOptions, 'restate' | 'windowClock'> & { readonly start?: string } = {},
) {
  const { start = '2026-11-20T05:00:00Z', ...server } = options;
  let nowMs = Date.parse(start);
  const changes = {
    /** Selects the days for which the service has no numbers. */
    isSilent: (_day: string): boolean => false,
  };
  const service = await serveForTest({ delayMs: 0, clock: () => nowMs, ...server });
  service.server.fault({
    endpoint: 'download',
    change: (document) => {
      const isSilent = changes.isSilent(String(document.summary.since).slice(0, 10));
      return { ...document, data: isSilent ? [] : document.data };
    },
  });

  const account = { ADREPORT_EMAIL: 'buyer@example.com', ADREPORT_PASSWORD: 'demo' };
  const run = (line: string, more: CliOptions = {}) => {
    const env = { ...account, ...more.env };
    return service.run(line, { now: nowMs, readsFiles: false, ...more, env });
  };
  /** Expects a command to end well. */
  const runWell = async (line: string, more: CliOptions = {}) => {
    const result = await run(line, more);
    expect(result.exitCode, `${line}\n${result.stderr}`).toBe(0);
    return result;
  };

  /** Returns problems as `kind file`. */
  async function check(path = 'data', more: CliOptions = {}): Promise<string[]> {
    const { stdout, stderr, exitCode } = await run(`check ${path} --json`, more);
    const { problems } = JSON.parse(stdout || `{"problems":[{"kind":${JSON.stringify(stderr)}}]}`);
    expect(exitCode, stderr).toBe(problems.length > 0 ? 9 : 0);
    return problems.map(({ kind, file }: { kind: string; file: string }) => {
      return `${kind} ${file.replaceAll('\\', '/').replace('data/', '')}`;
    });
  }

  const path = (name: string): string => join(service.cwd, 'data', name);
  return {
    ...service,
    run,
    runWell,
    check,
    path,
    changes,
    orders: () => service.calls('buyer'),
    read: (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : ''),
    now: () => nowMs,
    wait: (days: number) => {
      nowMs += days * dayMs;
    },
  };
}
