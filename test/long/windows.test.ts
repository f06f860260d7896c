import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shellWord } from '../../src/text/quote-for-shell.ts';
import { setStatus, startForTest, tokens } from '../server/local.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { spawnCli } from '../support/spawn.ts';
import { hasWindows, Windows } from '../support/wine.ts';

/**
 * The built program with Node for Windows, in Wine. Skipped without Wine or without Node for
 * Windows in ADREPORT_NODES.
 */

const week = 'run --local --period last-week --by DAILY,CAMPAIGN';
const day = 'run --period yesterday --by CAMPAIGN';

/** A server of this machine, which reports are requested from by the clock of this machine. */
async function serve(options: { manual?: boolean } = {}) {
  const server = await startForTest({ clock: Date.now, ...options });
  const env = { ADREPORT_BASE_URL: server.url, ADREPORT_TOKEN: tokens.buyer };
  const orders = () => server.requests().filter(({ endpoint }) => endpoint === 'buyer').length;

  /** Makes all reports ready, once the first is requested. */
  const makeReady = async () => {
    await expect.poll(() => server.reports().length).toBeGreaterThan(0);
    for (const { report_id } of server.reports()) await setStatus(server, report_id, 'ready');
  };
  return { server, env, orders, makeReady };
}

describe.skipIf(!hasWindows)('on Windows (Wine, with Node for Windows in ADREPORT_NODES)', () => {
  let windows: Windows;
  beforeAll(() => {
    windows = new Windows();
  }, 240_000);
  afterAll(() => windows?.stop());

  test('the main job writes the same bytes as on other systems, in every format', async () => {
    const cwd = temporaryFolder();

    const written = await windows.run(`${week} -o week.csv`, { cwd });

    expect(written).toMatchObject({ exitCode: 0, stdout: '' });
    expect(written.stderr).toContain('Wrote week.csv: ');
    const csv = readFileSync(join(cwd, 'week.csv'), 'utf8');
    expect((await spawnCli(week)).stdout).toBe(csv);
    expect((await windows.run(week, { cwd })).stdout).toBe(csv);
    expect((await windows.run(`${week} --split day`, { cwd })).stdout).toBe(csv);

    await windows.run(`${week} -o C:\\week.csv.gz`, { cwd });
    const packed = await windows.runLine('copy C:\\week.csv.gz .', { cwd });
    expect(packed.exitCode).toBe(0);
    expect(gunzipSync(readFileSync(join(cwd, 'week.csv.gz'))).toString()).toBe(csv);

    for (const name of ['week.parquet', 'week.xlsx', 'week.html', 'week.ndjson']) {
      expect(await windows.run(`${week} -o ${name}`, { cwd })).toMatchObject({ exitCode: 0 });
    }
    expect(readFileSync(join(cwd, 'week.xlsx')).subarray(0, 2).toString()).toBe('PK');
    expect(readFileSync(join(cwd, 'week.html'), 'utf8')).toContain('</html>');

    const figures = 'view week.csv --by CAMPAIGN --json';
    const ofCsv = JSON.parse((await spawnCli(figures, { cwd })).stdout);
    for (const name of ['week.csv', 'week.parquet', 'week.ndjson']) {
      const viewed = await windows.run(figures.replace('week.csv', name), { cwd });
      expect(JSON.parse(viewed.stdout).groups).toEqual(ofCsv.groups);
    }
  });

  test('a folder is filled, checked and updated, with either slash', async () => {
    const cwd = temporaryFolder();
    const dayOf = (name: string) => join(cwd, 'data', name, 'part.csv');

    const filled = await windows.run(`${week} --split day -o data\\date={date}/part.csv`, { cwd });
    expect(filled).toMatchObject({ exitCode: 0 });
    const [first = '', second = '', ...others] = readdirSync(join(cwd, 'data'))
      .filter((name) => name.startsWith('date='))
      .sort();
    expect(others).toHaveLength(5);

    const whole = readFileSync(dayOf(first), 'utf8');
    appendFileSync(dayOf(first), 'x');
    rmSync(dayOf(second));
    const checked = await windows.run('check data', { cwd });
    expect(checked).toMatchObject({ exitCode: 9 });
    expect(checked.stdout).toContain('adreport update data');

    expect(await windows.run('update .\\data\\', { cwd })).toMatchObject({ exitCode: 0 });

    expect(readFileSync(dayOf(first), 'utf8')).toBe(whole);
    const file = `data\\${second}\\part.csv`;
    expect(await windows.run(`check ${file}`, { cwd })).toMatchObject({ exitCode: 0 });
    // Another system reads the same folder.
    expect(await spawnCli('check data', { cwd })).toMatchObject({ exitCode: 0 });
  });

  test('a history that is open in another program is noticed before the order', async () => {
    const cwd = temporaryFolder();
    const { env, orders } = await serve();
    const line = `${day} --split day -o data/{date}.csv`;
    expect(await windows.run(line, { cwd, env })).toMatchObject({ exitCode: 0 });
    const written = readdirSync(join(cwd, 'data'));
    const release = await windows.hold('data\\_adreport.history', cwd);

    const refused = await windows.run(`${line} --fresh`, { cwd, env });
    await release();

    expect(refused, refused.stderr).toMatchObject({ exitCode: 8 });
    expect(refused.stderr).toContain('it is open in another program');
    expect(orders()).toBe(1);
    expect(readdirSync(join(cwd, 'data'))).toEqual(written);
    expect(await windows.run(line, { cwd, env })).toMatchObject({ exitCode: 0 });
  });

  test('the sign-in is stored below AppData, and doctor finds no problems', async () => {
    const place = { cwd: temporaryFolder(), isOfUser: true };
    const { server } = await serve();
    writeFileSync(join(place.cwd, 'token.txt'), `${tokens.buyer}\r\n`);

    const path = await windows.run('config path', place);
    const login = `adreport login --base-url ${server.url} --token-stdin < token.txt`;
    const signedIn = await windows.runLine(login, place);
    const known = await windows.run('whoami', place);
    const doctor = await windows.run('doctor', place);

    expect(path.stdout).toMatch(
      /^C:\\users\\\w+\\AppData\\Roaming\\adreport\\Config\\settings\.json/,
    );
    expect(signedIn, signedIn.stderr).toMatchObject({ exitCode: 0 });
    expect(known.stdout).toContain(server.url);
    expect(doctor, doctor.stdout).toMatchObject({ exitCode: 0 });
    expect(doctor.stdout).not.toContain('chmod');

    const release = await windows.hold('%APPDATA%\\adreport\\Config\\settings.json', place.cwd);
    const held = await windows.run('config set profile dsp', place);
    await release();
    expect(held).toMatchObject({ exitCode: 2 });
    expect(held.stderr).toContain('Cannot write the settings file');
    expect(await windows.run('config set profile dsp', place)).toMatchObject({ exitCode: 0 });
    expect(await windows.run('logout', place)).toMatchObject({ exitCode: 0 });
  }, 300_000);

  describe('a file that is open in another program', () => {
    test('is noticed before the order', async () => {
      const cwd = temporaryFolder();
      const { env, orders } = await serve();
      writeFileSync(join(cwd, 'held.csv'), 'old');
      const release = await windows.hold('held.csv', cwd);

      const refused = await windows.run(`${day} -o held.csv`, { cwd, env });
      await release();

      expect(refused).toMatchObject({ exitCode: 8, stdout: '' });
      expect(refused.stderr).toContain('held.csv: it is open in another');
      expect(orders()).toBe(0);
      expect(readFileSync(join(cwd, 'held.csv'), 'utf8')).toBe('old');
      expect(readdirSync(cwd)).toEqual(['held.csv']);
    });

    test('when the report is ready: the report is kept, and the same command finishes', async () => {
      const cwd = temporaryFolder();
      const { env, orders, makeReady } = await serve({ manual: true });
      writeFileSync(join(cwd, 'held.csv'), 'old');
      const line = `${day} -o held.csv --poll-interval 200ms`;

      const run = windows.start(line, { cwd, env });
      await expect.poll(orders).toBe(1);
      const release = await windows.hold('held.csv', cwd);
      await makeReady();
      const refused = await run.ended;
      const old = readFileSync(join(cwd, 'held.csv'), 'utf8');
      await release();
      const finished = await windows.run(line, { cwd, env });

      expect(refused).toMatchObject({ exitCode: 8 });
      expect(refused.stderr).toContain('it is open in another program');
      expect(refused.stderr).toContain('is still available');
      expect(old).toBe('old');
      expect(finished).toMatchObject({ exitCode: 0 });
      expect(finished.stderr).toContain('Resuming report');
      expect(orders()).toBe(1);
      expect(readFileSync(join(cwd, 'held.csv'), 'utf8')).toMatch(/^campaignId,/);
      expect(readdirSync(cwd)).toEqual(['held.csv']);
    });

    test('and is closed within ten seconds is replaced', async () => {
      const cwd = temporaryFolder();
      const { env, orders, makeReady } = await serve({ manual: true });
      writeFileSync(join(cwd, 'held.csv'), 'old');

      const run = windows.start(`${day} -o held.csv --poll-interval 200ms`, { cwd, env });
      await expect.poll(orders).toBe(1);
      const release = await windows.hold('held.csv', cwd);
      await makeReady();
      // The whole report waits beside its place.
      await expect.poll(() => readdirSync(cwd).some((name) => name.endsWith('.tmp'))).toBe(true);
      await release();

      expect(await run.ended).toMatchObject({ exitCode: 0 });
      expect(readFileSync(join(cwd, 'held.csv'), 'utf8')).toMatch(/^campaignId,/);
    });
  });

  test('a run that was killed is continued without a new order', async () => {
    const cwd = temporaryFolder();
    const { env, orders, makeReady } = await serve({ manual: true });
    const line = `${day} -o week.csv --poll-interval 200ms`;

    const run = windows.start(line, { cwd, env });
    await expect.poll(run.stderr).toContain(': waiting');
    run.child.kill('SIGKILL');
    await run.ended;
    await makeReady();
    const finished = await windows.run(line, { cwd, env });

    expect(finished).toMatchObject({ exitCode: 0 });
    expect(finished.stderr).toContain('Resuming report');
    expect(orders()).toBe(1);
    expect(existsSync(join(cwd, 'week.csv'))).toBe(true);
  });

  test('local-server exec runs a program against a server, with its exit code', async () => {
    const cwd = temporaryFolder();
    const script = 'console.log(process.env.ADREPORT_BASE_URL, process.argv[2]); process.exit(7)';
    writeFileSync(join(cwd, 'print.cjs'), script);

    writeFileSync(join(cwd, 'print.cmd'), '@node print.cjs %*\r\n');

    const text = 'a "b" & c:\\d\\';
    const exec = ['local-server', 'exec', '--'];
    const ofProgram = await windows.run([...exec, 'node', 'print.cjs', text], { cwd });
    const ofScript = await windows.run([...exec, 'print', text], { cwd });

    for (const { exitCode, stdout } of [ofProgram, ofScript]) {
      expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+ a "b" & c:\\d\\\r?\n$/);
      expect(exitCode).toBe(7);
    }
  });

  test('cmd reads a quoted word as the original', async () => {
    const cwd = temporaryFolder();
    const texts = [
      'my data\\',
      '"A, B"',
      'a\\"b',
      '"&b',
      'a|b>c',
      '{date}',
      "it's",
      '',
      'a^b',
      ';',
    ];
    writeFileSync(join(cwd, 'print.cjs'), 'console.log(JSON.stringify(process.argv.slice(2)))');

    const words = texts.map((text) => shellWord(text, 'win32'));
    const { stdout } = await windows.runLine(`node.exe print.cjs ${words.join(' ')}`, { cwd });

    expect(JSON.parse(stdout)).toEqual(texts);
  });
});
