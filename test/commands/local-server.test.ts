import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { certificate, privateKey } from '../server/tls-certificate.ts';
import { type CliOptions, type CliResult, runCli, temporaryFolder } from '../support/run-cli.ts';

/** Runs the server until it is ready, and then ends it. */
function serveAndEnd(flags: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const interrupt = { when: /Ctrl-C ends it/, signal: 'SIGTERM' } as const;
  return runCli(['local-server', '--port', '0', ...flags], { interrupt, ...options });
}

describe('the ready line', () => {
  test('says where it listens, and how to sign in; ends with exit 0', async () => {
    const { exitCode, stdout, stderr } = await serveAndEnd([]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^adreport local-server listening on http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(stderr).toContain('buyer@example.com  password demo  token 00000000000000000000000000000000000000b1');
    expect(stderr).toMatch(/Try: curl -H 'Authorization: 0{38}b1' http:\/\/127\.0\.0\.1:\d+\/campaigns/);
  });

  test('binding beyond loopback is said, and the address is one that this machine can call', async () => {
    const { exitCode, stdout, stderr } = await serveAndEnd(['--host', '0.0.0.0']);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/http:\/\/127\.0\.0\.1:\d+\n$/)]);
    expect(stderr).toContain('The server listens on 0.0.0.0: every machine that reaches this one can use it');
    expect((await serveAndEnd(['--host', 'localhost'])).stderr).not.toContain('Warning');
    expect(await runCli(['local-server', '--host', ''])).toMatchObject({ exitCode: 2 });
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
  test.runIf(hasIpv6)('an IPv6 address may stand in the brackets that it has in a URL', async () => {
    const { exitCode, stdout, stderr } = await serveAndEnd(['--host', '[::1]']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('http://[::1]:')]);
    expect(stderr).not.toContain('Warning');
  });

  test('TLS', async () => {
    const cwd = temporaryFolder();
    const [cert, key] = [join(cwd, 'cert.pem'), join(cwd, 'key.pem')];
    writeFileSync(cert, certificate);
    writeFileSync(key, privateKey);
    const { exitCode, stdout } = await serveAndEnd(['--tls-cert', cert, '--tls-key', key], { cwd });
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/listening on https:\/\/127\.0\.0\.1:\d+\n$/)]);
  });
});

describe('flags that cannot be are refused before anything listens', () => {
  test.each([
    [['--delay', '2s', '--polls', '3'], /--delay, --polls and --manual exclude each other/],
    [['--tls-cert', 'cert.pem'], /--tls-cert and --tls-key go together/],
    [['--tls-cert', 'none.pem', '--tls-key', 'none.pem'], /--tls-cert: none\.pem could not be read \(ENOENT\)/],
    [['--fault', 'status:5o3'], /The fault “status:5o3” is wrong/],
    [['--port', '70000'], /The highest port is 65535/],
    [['--fixtures', 'no-such-folder'], /no-such-folder\/campaigns\.json: the file cannot be read/],
  ])('%j', async (flags, message) => {
    const { exitCode, stdout, stderr } = await serveAndEnd(flags);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});

describe('own data', () => {
  test('what is exported is valid, and is served', async () => {
    const cwd = temporaryFolder();
    const exported = await runCli(['local-server', 'export', 'data', '--period', '2026-10-25', '--json'], { cwd });
    expect(exported.exitCode).toBe(0);
    const { files, facts, since, until } = JSON.parse(exported.stdout);
    expect(files).toHaveLength(4);
    expect(facts).toBeGreaterThan(100);
    // The day of a clock change, in Paris.
    expect(until - since).toBe(25 * 3_600 - 1);

    const checked = await runCli(['local-server', 'validate', 'data'], { cwd });
    expect(checked).toMatchObject({ exitCode: 0 });
    expect(checked.stdout).toMatch(
      /^data: 3 accounts, \d+ campaigns, facts from 2026-10-24T22:00:00Z to 2026-10-25T22:00:00Z\n$/,
    );
    expect((await serveAndEnd(['--fixtures', 'data'], { cwd })).exitCode).toBe(0);
  });

  test('export replaces no file', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'accounts.json'), '[]');
    const { exitCode, stderr, files } = await runCli(['local-server', 'export', '.', '--period', '2026-10-25'], {
      cwd,
    });
    expect([exitCode, files['accounts.json']]).toEqual([8, '[]']);
    expect(stderr).toContain('exists already');
  });

  test('validate names file, line, column and reason', async () => {
    const cwd = temporaryFolder();
    await runCli(['local-server', 'export', 'data', '--period', '2026-10-25'], { cwd });
    writeFileSync(join(cwd, 'data', 'accounts.json'), '[\n  {"nam": "x"}\n]');
    const { exitCode, stdout, stderr } = await runCli(['local-server', 'validate', 'data', '--json'], { cwd });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr).error.message).toMatch(/data\/accounts\.json:2:\d+: /);
  });
});
