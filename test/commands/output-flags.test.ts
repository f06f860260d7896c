import { describe, expect, test } from 'vitest';
import { serveForTest } from '../support/service.ts';

/** Flags that say how CSV is written, and which columns: what they do, and where they have no use. */

const byHour = ['run', '--period', '2026-10-24..2026-10-25', '--by', 'HOURLY,CAMPAIGN', '--fresh'];

describe('flags of the output', () => {
  test('campaigns speak every CSV dialect', async () => {
    const { run } = await serveForTest();
    const first = async (...flags: string[]) =>
      (await run(['campaigns', '--search', '40002', ...flags])).stdout.split('\r\n')[0];
    const columns = ['--columns', 'campaignName,adunits,advertiserId'];
    expect(await first(...columns, '--no-header')).toBe('"Soldes d\'été, ""−50 %"", 2e vague",2,501');
    expect(await first(...columns, '--no-header', '--delimiter', 'tab')).toBe(
      '"Soldes d\'été, ""−50 %"", 2e vague"\t2\t501',
    );
    expect(await first(...columns, '--excel')).toBe('\ufeffcampaignName;adunits;advertiserId');
    expect(await first(...columns, '--bom', '--delimiter', '|')).toBe('\ufeffcampaignName|adunits|advertiserId');
    const formula = ['campaigns', '--search', '49001', '--columns', 'campaignName', '--no-header', '--escape-formulas'];
    const awkward = await serveForTest({}, 'awkward');
    expect((await awkward.run(formula)).stdout).toMatch(/^"'=HYPERLINK/);
  });

  test('CSV on a terminal shows control characters; a pipe and a file have them as they are', async () => {
    const { run } = await serveForTest({ delayMs: 0 }, 'awkward');
    const csv = ['run', '--period', '2026-11-09', '--by', 'CAMPAIGN', '--metrics', 'displays', '--format', 'csv'];
    const raw = '\n49002,\u001b[31mRED ALERT\u001b[0m launch,';
    const shown = '\n49002,␛[31mRED ALERT␛[0m launch,';
    expect((await run(csv)).stdout).toContain(raw);
    expect((await run([...csv, '-o', 'x.csv'], { tty: true })).files['x.csv']).toContain(raw);
    const lists = [csv, ['campaigns', '--format', 'csv', '--columns', 'campaignId,campaignName,adunits']];
    for (const argv of [...lists, ['view', 'x.csv', '--by', 'CAMPAIGN', '--format', 'csv']]) {
      const { stdout } = await run(argv, { tty: true });
      expect(stdout).toContain(shown);
      expect(stdout).toContain('\n49004,Printemps␍␊Été␊2026,');
      expect(stdout).toContain('\\u202e');
      expect(stdout).not.toContain('\u001b');
    }
  });

  const jobs = { run: byHour, download: ['download', 'x'], campaigns: ['campaigns'] } as const;

  test.each(Object.entries(jobs))('%s: a dialect that cannot be is told before anything is asked', async (_, argv) => {
    const { run, server } = await serveForTest();
    for (const format of ['csv', 'json']) {
      expect(await run([...argv, '--format', format, '--delimiter', 'ab'])).toMatchObject({ exitCode: 2, stdout: '' });
    }
    expect(await run([...argv, '--columns', 'date,,clicks'])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(server.requests()).toEqual([]);
  });
});
