import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type PackedProgram, packProgram, runNode } from '../support/packed-program.ts';
import { openTerminal } from '../support/pty.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/**
 * The packed program on every Node that it is for. ADREPORT_NODES names a folder with one of each in it, as
 * `npm install --prefix FOLDER/24 node@24` leaves it; those that are not there are skipped, and said.
 */

const folderOfNodes = process.env.ADREPORT_NODES ?? '';
const versions = ['20.12.0', '22', '24', '26'];

function pathOf(version: string): string {
  return join(folderOfNodes, version, 'node_modules/node/bin/node');
}

let packed: PackedProgram;
let bin: string;
let expected: Readonly<Record<string, string>>;

const formats = ['report.csv', 'report.json', 'report.ndjson'];
const request = ['--local', '--period', '2026-10', '--by', 'DAILY,CAMPAIGN,COUNTRY', '-q', '-o'];

/** One report in each format. A warning of Node itself would stand on stderr. */
function fetchReports(node: string): Record<string, string> {
  const cwd = temporaryFolder();
  for (const file of formats) {
    expect(runNode(node, [bin, 'run', ...request, file], cwd)).toEqual({ status: 0, stdout: '', stderr: '' });
  }
  return Object.fromEntries(formats.map((file) => [file, readFileSync(join(cwd, file), 'utf8')]));
}

beforeAll(() => {
  packed = packProgram();
  const prefix = join(dirname(packed.tarball), 'prefix');
  mkdirSync(prefix);
  packed.npm(['install', packed.tarball, '--prefix', prefix], prefix);
  bin = join(prefix, 'node_modules/adreport/bin/adreport.js');
}, 300_000);
afterAll(() => packed.remove());

test('this Node leaves what the others are measured by', () => {
  expected = fetchReports(process.execPath);
  for (const text of Object.values(expected)) expect(text.length).toBeGreaterThan(50_000);
});

describe.each(versions)('Node %s', (version) => {
  const node = pathOf(version);
  const isHere = existsSync(node);
  if (!isHere) console.log(`Skipped: Node ${version} (none in ADREPORT_NODES)`);

  describe.skipIf(!isHere)('has the program', () => {
    test('it is that Node', () => {
      const told = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
      expect(`${told}.`).toMatch(new RegExp(`^v${version.replaceAll('.', '\\.')}\\.`));
    });

    test('help and version, without a word of warning', () => {
      const cwd = temporaryFolder();
      const { version: ours } = JSON.parse(readFileSync(join(dirname(bin), '../package.json'), 'utf8'));
      expect(runNode(node, [bin, '--version'], cwd)).toEqual({ status: 0, stdout: `${ours}\n`, stderr: '' });
      expect(runNode(node, [bin, 'run', '--help'], cwd)).toMatchObject({ status: 0, stderr: '' });
    });

    test('the same reports, byte for byte', () => {
      expect(fetchReports(node)).toEqual(expected);
    });

    test('sign-in stores an account, and every later command finds it', () => {
      const cwd = temporaryFolder();
      // The server's own `exec` runs the commands: on this Node, with the server's address in their environment.
      const script = `
        const { execFileSync } = require('node:child_process');
        const adreport = (argv, input = '') =>
          execFileSync(process.execPath, [process.argv[1], ...argv], { input, encoding: 'utf8' });
        const { ADREPORT_BASE_URL: url, ADREPORT_TOKEN: token } = process.env;
        delete process.env.ADREPORT_BASE_URL;
        delete process.env.ADREPORT_TOKEN;
        adreport(['login', '-q', '--base-url', url, '--token-stdin'], token);
        process.stdout.write(adreport(['whoami']).includes(url) ? 'found' : 'lost');
        process.exitCode = 7;
      `;
      const argv = [bin, 'local-server', 'exec', '--', node, '-e', script, bin];
      const { status, stdout, stderr } = runNode(node, argv, cwd);
      expect({ status, stdout }).toEqual({ status: 7, stdout: 'found' });
      expect(stderr).not.toMatch(/warning|deprecat|experimental/i);
    });

    test.each([
      ['create is refused', 'buyer:403', 4],
      ['the service is down', 'status:503', 5],
      ['the data breaks off', 'download:truncate:bytes=100', 9],
    ])('%s: the right exit code, and nothing left behind', (_, fault, exitCode) => {
      const cwd = temporaryFolder();
      const run = ['run', '--period', '2026-10-01', '--retries', '0', '--json', '-o', 'r.csv'];
      const argv = [bin, 'local-server', '--delay', '0s', '--fault', fault, 'exec', '--', node, bin, ...run];
      const { status, stdout, stderr } = runNode(node, argv, cwd);
      expect({ status, stdout }).toEqual({ status: exitCode, stdout: '' });
      expect(stderr).not.toMatch(/\(node:\d+\)|\bat .*:\d+:\d+/);
      expect(existsSync(join(cwd, 'r.csv'))).toBe(false);
    });

    test.skipIf(process.platform === 'win32')('SIGTERM ends the local server with exit 0', async () => {
      const cwd = temporaryFolder();
      const env = { PATH: process.env.PATH, ADREPORT_CONFIG_DIR: cwd };
      const child = spawn(node, [bin, 'local-server', '--port', '0', '--json'], { cwd, env });
      onTestFinished(() => void child.kill('SIGKILL'));
      const ended = once(child, 'close');
      const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
      expect((await fetch(`${JSON.parse(line).url}/openapi.json`)).status).toBe(200);
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    });

    test.skipIf(process.platform === 'win32')('in a terminal: a bar, a question, Ctrl-C', async () => {
      const cwd = temporaryFolder();
      const env = { ADREPORT_CONFIG_DIR: join(cwd, '.config') };
      const run = openTerminal(node, [bin, 'run', '--local', '--period', '2026-10', '-o', 'r.csv'], { cwd, env });
      onTestFinished(() => run.close());
      await run.waitFor('Wrote r.csv');
      expect(await run.exitCode).toBe(0);
      expect(run.output).not.toMatch(/warning/i);

      const login = openTerminal(node, [bin, 'login'], { cwd, env });
      onTestFinished(() => login.close());
      await login.waitFor(/base url/i);
      login.type('\u0003');
      expect(await login.exitCode).toBe(130);
    });
  });
});
