import { describe, expect, test } from 'vitest';
import { metrics } from '../../src/contract/vocabulary.ts';
import { setStatus } from '../server/local.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

const byDay = 'run --period 2026-11-09..2026-11-15 --by DAILY --metrics displays,clicks';

describe('run --local', () => {
  test('writes a report without account, settings or ledger', async () => {
    const result = await runCli('run --local --period last-week --by DAILY,CAMPAIGN -o week.csv');

    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(Object.keys(result.files)).toEqual(['week.csv']);

    const lines = (result.files['week.csv'] ?? '').split('\r\n');

    const figures = metrics.map(({ name, rowField }) => rowField?.buyer ?? name);
    expect(lines[0]).toBe(`date,campaignId,campaignName,${figures}`);

    const dates = lines.slice(1, -1).map((line) => line.split(',')[0]);
    const week = ['09', '10', '11', '12', '13', '14', '15'];
    expect([...new Set(dates)]).toEqual(week.map((day) => `2026-11-${day}`));
    expect(result.stderr).toMatch(
      /Wrote week\.csv: \d+ rows, .*kB.*\n {2}Revenue \(€\) [\d,.]+, Displays [\d,]+, Clicks [\d,]+, CTR [\d.]+ ?%, Downloads .*\n$/,
    );
  });
});

describe('run against a service', () => {
  test('the same request picks up an unfinished report, but not a fetched one, and never with --fresh', async () => {
    const { run, server, calls } = await serveForTest({ manual: true });
    await run(`${byDay} --wait-timeout 5s`);

    const [entry] = JSON.parse((await run('report list --json')).stdout);

    await setStatus(server, entry.id, 'ready');

    const second = await run(byDay);

    expect(second).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`Resuming report ${entry.id}`),
    });
    expect(calls('buyer')).toBe(1);

    await run(`${byDay} --wait-timeout 1s`);

    expect(calls('buyer')).toBe(2);

    await run(`${byDay} --fresh --wait-timeout 1s`);

    expect(calls('buyer')).toBe(3);
  });

  test('--direct needs no polling', async () => {
    const { run, server } = await serveForTest();

    const { stdout } = await run(`${byDay} --direct --format json`);

    expect(JSON.parse(stdout).data).toHaveLength(7);
    expect(server.requests().map(({ endpoint }) => endpoint)).toEqual(['buyer']);
  });

  test('--no-clobber refuses before the first call', async () => {
    const { run, calls } = await serveForTest({ delayMs: 0 });

    await run(`${byDay} -o {profile}-{since}.csv`);

    expectRefusal(
      await run(`${byDay} -o {profile}-{since}.csv --no-clobber --fresh`),
      8,
      'buyer-2026-11-09.csv',
    );
    expect(calls('buyer')).toBe(1);
  });
});

describe('--dry-run', () => {
  test('prints window, body and a curl line, without network', async () => {
    const { run, server } = await serveForTest();

    const { stdout, exitCode } = await run('run --period 2026-10-25 --by HOURLY --dry-run', {
      platform: 'linux',
    });

    expect(exitCode).toBe(0);
    expect(stdout).toContain('2026-10-25T00:00:00+0200 … 2026-10-25T23:59:59+0100');
    expect(stdout).toContain('1792879200 … 1792969199');
    expect(stdout).toContain('-H "Authorization: $ADREPORT_TOKEN"');
    expect(server.requests()).toEqual([]);
  });

  test('a skipped wall time is the time of the clock change', async () => {
    const { stdout } = await runCli(
      'run --since 2026-03-29T02:30 --until 2026-03-29T12:00 --dry-run',
    );

    expect(stdout).toContain('period  2026-03-29T03:00:00+0200 …');
  });

  test('with --json, one entry per window', async () => {
    const { stdout } = await runCli('run --period 2026-11-01 --metrics clicks --dry-run --json', {
      platform: 'linux',
    });
    expect(JSON.parse(stdout)).toEqual({
      requests: [
        {
          method: 'POST',
          url: 'https://reports.example.com/buyer-reporting',
          body: { since: 1793487600, until: 1793573999, metrics: 'clicks' },
          window: { since: 1793487600, until: 1793573999, timezone: 'Europe/Paris' },
          output: '-',
          curl: expect.stringContaining("curl 'https://reports.example.com/buyer-reporting'"),
        },
      ],
    });
  });
});

test('an unexpected error is a bug: exit 1, without a trace or a resume hint', async () => {
  const { run } = await serveForTest({ faults: ['campaigns:503'] });
  const onSleep = () => {
    throw new Error('the clock stopped');
  };
  for (const line of [byDay, `${byDay} --split day -o {date}.csv`, 'whoami']) {
    const result = await run(line, { onSleep });
    expectRefusal(result, 1, 'the clock stopped');
    expect(result.stderr).not.toMatch(/is still available|\n\s+at /);
  }
});
