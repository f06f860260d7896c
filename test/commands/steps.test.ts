import { describe, expect, test } from 'vitest';
import { json, serve, serveAnswers } from '../support/http-server.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

const create = 'report create --period 2026-11-09 --by CAMPAIGN --metrics displays';

describe('one step at a time', () => {
  test('report create prints the id alone; status and download take it', async () => {
    const { run } = await serveForTest({ delayMs: 5_000 });

    const { stdout, stderr } = await run(create);

    expect(stdout).toMatch(/^[0-9a-f]+\n$/);
    expect(stderr).toBe('');

    const id = stdout.trim();

    expect(await run(`status ${id}`)).toMatchObject({ exitCode: 0, stdout: 'progress\n' });
    expectRefusal(await run(`download ${id}`), 7, `To resume: adreport download --wait ${id}\n`);
    expect(await run(`status ${id} --wait --json`)).toMatchObject({ exitCode: 0 });

    const record = JSON.parse((await run(`status ${id} --json`)).stdout);

    expect(record).toEqual({ status: 'ready', message: 'ready', report_id: id });

    const fetched = await run(`download ${id} -o r.json`);

    expect(fetched).toMatchObject({ exitCode: 0, stdout: '' });
    expect(JSON.parse(fetched.files['r.json'] ?? '').data[0]).toHaveProperty('campaignName');

    const list = JSON.parse((await run('report list --json')).stdout);

    expect(list).toMatchObject([{ id, status: 'downloaded', request: { profile: 'buyer' } }]);
    expect(list[0]).not.toHaveProperty('message');
  });

  test('download takes the flags of a file', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const id = (await run(create)).stdout.trim();
    const line = `download ${id} -o r.csv --columns displays,campaignId`;

    expect((await run(line)).files['r.csv']).toMatch(/^displays,campaignId\r\n/);
    expectRefusal(await run(`${line} --no-clobber`), 8, 'r.csv');
  });

  test('report list --limit: newest first with full ids, even within a millisecond', async () => {
    const { run } = await serveForTest();
    const ids: string[] = [];
    for (let i = 0; i < 4; i += 1) ids.unshift((await run(create)).stdout.trim());

    const created = async (flags = ''): Promise<{ id: string; at: string }[]> =>
      JSON.parse((await run(`report list --json${flags}`)).stdout);

    expect((await created()).map(({ id }) => id)).toEqual(ids);
    expect(new Set((await created()).map(({ at }) => at)).size).toBe(1);
    expect((await created(' --limit 2')).map(({ id }) => id)).toEqual(ids.slice(0, 2));

    for (const tty of [false, true]) {
      const { stdout } = await run('report list --limit 2', { tty, columns: 80 });
      expect(stdout.match(new RegExp(ids.join('|'), 'g'))).toEqual(ids.slice(0, 2));
    }

    expect(await run('report list --limit 0')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('report create of a service that sends the rows at once has no id', async () => {
    const { env } = await serveAnswers({ '/buyer-reporting': { data: [] } });
    expectRefusal(await runCli(create, { env }), 4, 'without an ID');
  });

  test('report create has no output flags, because it writes nothing', async () => {
    const { run, server } = await serveForTest();

    expect(await run(`${create} -o x.csv`)).toMatchObject({ exitCode: 2 });
    expect(await run(`${create} --direct`)).toMatchObject({ exitCode: 2 });
    expect(server.requests()).toEqual([]);
  });

  test('a report that failed is exit 6, with the whole command to request it again', async () => {
    const { run } = await serveForTest({ faults: ['status:failed'], delayMs: 0 });
    const wanted = '--metrics displays --by CAMPAIGN --country FR --period 2026-11-09 -o it.csv';
    await run(`run ${wanted} --retries 0`);
    const list = JSON.parse((await run('report list --json')).stdout);
    const { id } = list[0];

    const status = await run(`status ${id}`);
    expect(status).toMatchObject({ exitCode: 6, stdout: 'failed\n' });
    for (const { stderr } of [status, await run(`download ${id} --wait`)]) {
      const command = /Request it again: adreport (.*)/.exec(stderr)?.[1] ?? '';
      expect(command).toBe(`run ${wanted}`);
      expect((await run(`${command} --dry-run`)).stdout).toContain('"countryId":["3017382"]');
    }
  });
});

describe('campaigns', () => {
  test('one row per campaign as CSV, the records as JSON, one object per ad unit', async () => {
    const { run } = await serveForTest();
    const records = JSON.parse((await run('campaigns --format json')).stdout);
    const fields =
      'advertiserId,advertiserName,campaignId,campaignName,campaignStartDate,campaignEndDate,adunits';

    expect(Object.keys(records[0]).join()).toBe(fields);
    expect((await run('campaigns')).stdout.split('\r\n')[0]).toBe(fields);

    const units = (await run('campaigns --ad-units --format ndjson')).stdout.trimEnd().split('\n');

    expect(units).toHaveLength(
      records.flatMap(({ adunits }: { adunits: unknown[] }) => adunits).length,
    );

    const { adunitName } = JSON.parse(units[0] ?? '');

    for (const format of ['csv', 'table']) {
      expect((await run(`campaigns --ad-units --format ${format}`)).stdout).toContain(adunitName);
    }
  });

  test.each([
    { ending: 'json', begins: /^\[/ },
    { ending: 'parquet', begins: /^PAR1/ },
    { ending: 'xlsx', begins: /^PK/ },
    { ending: 'csv.gz', begins: /^./ },
  ])('are written as $ending, too', async ({ ending, begins }) => {
    const { files } = await runCli(`campaigns --local -q -o all.${ending}`);
    expect(files[`all.${ending}`]).toMatch(begins);
  });

  test('--search ignores accents and case, and reports no matches', async () => {
    const { run } = await serveForTest();

    expect((await run('campaigns --search NOEL')).stdout).toContain('Noël 2026');

    const none = await run('campaigns --search nothing-like-it');

    expect([none.exitCode, none.stderr]).toEqual([0, 'No campaigns found.\n']);
  });

  test('--search and --active', async () => {
    const { run } = await serveForTest();
    const names = async (flags = ''): Promise<string[]> => {
      const { stdout } = await run(`campaigns --format json${flags}`);
      return JSON.parse(stdout).map(({ campaignName }: { campaignName: string }) => campaignName);
    };

    const [all, polar] = [await names(), await names(' --search POLARLICHT')];

    expect(polar).not.toEqual([]);
    expect(polar.every((name) => name.includes('Polarlicht'))).toBe(true);

    const [active, in2014] = [await names(' --active'), await names(' --active 2014-12-25')];

    expect(active.length).toBeLessThan(all.length);
    expect(active).not.toEqual([]);
    expect(in2014).not.toEqual(active);
    expect(await run('campaigns --active 2014-13-01')).toMatchObject({ exitCode: 2 });
    expectRefusal(await run('campaigns --columns campaignName'), 2, '--columns');
  });
});

describe('report ids may contain anything: messages stay readable, and commands work', () => {
  test.each([
    '{"id": 12345678901234567890}',
    '{"response":{"note":"1\\"2","report_id":12345678901234567890}}',
  ])('a number with more digits than a double: %s', async (text) => {
    const { env, received } = await serve(({ path }, response) => {
      if (path === '/buyer-reporting') response.end(text);
      else
        json(
          response,
          path === '/status-reporting' ? { status: 'ready' } : { data: [{ displays: 7 }] },
        );
    });

    const result = await runCli('run --period 2026-11-09 --metrics displays --format ndjson', {
      env,
    });

    expect(result).toMatchObject({ exitCode: 0, stdout: '{"displays":7}\n' });

    const asked = received
      .filter(({ path }) => path !== '/buyer-reporting')
      .map(({ body }) => body);

    expect(asked).toEqual(Array(2).fill('{"id":"12345678901234567890"}'));
  });
});
