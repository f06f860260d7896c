import { describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

const create = ['report', 'create', '--period', '2026-11-09', '--by', 'CAMPAIGN', '--metrics', 'displays'];

describe('one step at a time', () => {
  test('report create prints the id alone; status and download take it', async () => {
    const { run } = await serveForTest({ delayMs: 5_000 });
    const { stdout, stderr } = await run(create);
    expect(stdout).toMatch(/^[0-9a-f]+\n$/);
    expect(stderr).toBe('');
    const id = stdout.trim();

    expect(await run(['status', id])).toMatchObject({ exitCode: 0, stdout: 'progress\n' });
    const early = await run(['download', id]);
    expect(early).toMatchObject({
      exitCode: 7,
      stdout: '',
      stderr: expect.stringContaining(`adreport status ${id} --wait`),
    });
    expect(await run(['status', id, '--wait', '--json'])).toMatchObject({ exitCode: 0 });
    const record = JSON.parse((await run(['status', id, '--json'])).stdout);
    expect(record).toEqual({ status: 'ready', message: 'ready', report_id: id });

    const fetched = await run(['download', id, '-o', 'r.json']);
    expect(fetched).toMatchObject({ exitCode: 0, stdout: '' });
    expect(JSON.parse(fetched.files['r.json'] ?? '').data[0]).toHaveProperty('campaignName');
    const list = JSON.parse((await run(['report', 'list', '--json'])).stdout);
    expect(list).toMatchObject([{ id, lastStatus: 'fetched', file: 'r.json', profile: 'buyer' }]);
    expect((await run(['report', 'list'])).stdout).toContain(id);
  });

  test('another account’s report is exit 4, like one that does not exist', async () => {
    const { run, server } = await serveForTest();
    const id = (await run(create)).stdout.trim();
    const dsp = server.accounts.find(({ name }) => name === 'dsp')?.token;
    const others = await run(['status', id], { env: { ADREPORT_TOKEN: dsp } });
    const nobodys = await run(['status', 'f00']);
    expect(others).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('UNKNOWN_REPORT') });
    expect(nobodys).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('UNKNOWN_REPORT') });
  });

  test('the command that goes on names the account and the address that were given', async () => {
    const { server, cwd } = await serveForTest({ manual: true });
    const cli = (argv: readonly string[], stdin = '') => runCli(argv, { cwd, stdin });
    const flags = ['--base-url', server.url, '--account', 'agency'];
    await cli(['login', ...flags, '--token-stdin'], server.accounts[0]?.token);
    const id = (await cli([...create, ...flags])).stdout.trim();
    const goOn = `Go on with: adreport status ${id} --wait --account agency --base-url ${server.url}`;
    const waited = await cli(['status', id, '--wait', '--wait-timeout', '1s', ...flags]);
    expect(waited).toMatchObject({ exitCode: 7, stderr: expect.stringContaining(`${goOn}\n`) });
    const early = await cli(['download', id, ...flags]);
    expect(early).toMatchObject({ exitCode: 7, stderr: expect.stringContaining(`${goOn}, then the same command`) });
  });

  test('report list --limit: the newest first, by whole ids, those of one millisecond too', async () => {
    const { run } = await serveForTest();
    const ids: string[] = [];
    for (let i = 0; i < 6; i += 1) ids.push((await run(create)).stdout.trim());
    const newest = ids.toReversed();
    const created = async (...flags: string[]): Promise<{ id: string; createdAt: string }[]> =>
      JSON.parse((await run(['report', 'list', '--json', ...flags])).stdout);
    expect((await created()).map(({ id }) => id)).toEqual(newest);
    expect(new Set((await created()).map(({ createdAt }) => createdAt)).size).toBe(1);
    expect((await created('--limit', '2')).map(({ id }) => id)).toEqual(newest.slice(0, 2));
    for (const tty of [false, true]) {
      const { stdout } = await run(['report', 'list', '--limit', '2'], { tty, columns: 80 });
      expect(ids.filter((id) => stdout.includes(id))).toEqual(ids.slice(4));
      expect(stdout.indexOf(newest[0] ?? '')).toBeLessThan(stdout.indexOf(newest[1] ?? ''));
    }
    expect(await run(['report', 'list', '--limit', '0'])).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('a list of no reports is empty, and says how to make one', async () => {
    const listed = await runCli(['report', 'list']);
    expect(listed).toMatchObject({ exitCode: 0, stdout: '', stderr: expect.stringContaining('adreport run') });
    expect(await runCli(['report', 'list', '--json'])).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });

  test('-o without --direct is refused, because nothing would be written', async () => {
    const { run, server } = await serveForTest();
    expect(await run([...create, '-o', 'x.csv'])).toMatchObject({ exitCode: 2 });
    expect(server.requests()).toEqual([]);
    expect((await run([...create, '--direct', '-o', 'x.ndjson'])).files['x.ndjson']).toContain('campaignName');
  });

  test('a status that failed is printed, and exit 6', async () => {
    const { run } = await serveForTest({ faults: ['status:failed'], delayMs: 0 });
    const id = (await run(create)).stdout.trim();
    expect(await run(['status', id])).toMatchObject({ exitCode: 6, stdout: 'failed\n' });
  });
});

describe('campaigns', () => {
  test('one row a campaign as CSV, the records as JSON, one object an ad unit', async () => {
    const { run } = await serveForTest();
    const records = JSON.parse((await run(['campaigns', '--format', 'json'])).stdout);
    expect(Object.keys(records[0])).toEqual([
      'advertiserId',
      'advertiserName',
      'campaignId',
      'campaignName',
      'campaignStartDate',
      'campaignEndDate',
      'adunits',
    ]);
    const csv = (await run(['campaigns'])).stdout;
    expect(csv).toMatch(
      /^advertiserId,advertiserName,campaignId,campaignName,campaignStartDate,campaignEndDate,adunits\r\n/,
    );
    const units = (await run(['campaigns', '--ad-units', '--format', 'ndjson'])).stdout.trimEnd().split('\n');
    expect(units).toHaveLength(records.flatMap(({ adunits }: { adunits: unknown[] }) => adunits).length);
    expect(JSON.parse(units[0] ?? '')).toHaveProperty('adunitName');
    for (const flags of [
      ['--format', 'csv'],
      ['--format', 'table'],
    ]) {
      const { stdout } = await run(['campaigns', '--ad-units', ...flags]);
      expect(stdout).toContain(JSON.parse(units[0] ?? '').adunitName);
    }
  });

  test('--search, --active and --columns', async () => {
    const { run } = await serveForTest();
    const names = async (...flags: string[]) =>
      (await run(['campaigns', '--columns', 'campaignName', '--no-header', ...flags])).stdout
        .split('\r\n')
        .slice(0, -1);
    const all = await names();
    const polar = await names('--search', 'POLARLICHT');
    expect(polar.length).toBeGreaterThan(0);
    expect(polar.every((name) => name.includes('Polarlicht'))).toBe(true);
    const [active, in2014] = [await names('--active'), await names('--active', '2014-12-25')];
    expect(active.length).toBeLessThan(all.length);
    expect(active.length).toBeGreaterThan(0);
    expect(in2014).not.toEqual(active);
    expect(await run(['campaigns', '--active', '2014-13-01'])).toMatchObject({ exitCode: 2 });
    expect(await run(['campaigns', '--columns', 'campainName'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('campaignName'),
    });
  });

  test('a table on a terminal, with control characters made visible', async () => {
    const { stdout } = await runCli(['campaigns', '--local', '--account', 'awkward'], {
      tty: true,
      env: { TERM: 'dumb' },
    });
    expect(stdout).toContain('␛[31m');
    expect(stdout).not.toContain('\u001b');
  });
});
