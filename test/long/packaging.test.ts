import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type PackedProgram, packProgram, runNode } from '../support/packed-program.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/** What is published, and what somebody has who installs it. */

const root = resolve(import.meta.dirname, '../..');
const node = process.execPath;

let packed: PackedProgram;
beforeAll(() => {
  packed = packProgram();
}, 300_000);
afterAll(() => packed.remove());

/** Installs the package into an empty project, and makes some packages of this tree look installed there too. */
function installInProject(files: Readonly<Record<string, string>>, others: readonly string[] = []): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  packed.npm(['install', packed.tarball], folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  for (const name of others) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), place, 'junction');
  }
  return folder;
}

/** Type-checks a folder, and writes the JavaScript beside what it was made from. */
function compile(folder: string, files: readonly string[], options: Readonly<Record<string, unknown>>) {
  const compilerOptions = { module: 'nodenext', target: 'es2022', strict: true, types: ['node'], ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  return runNode(node, [join(root, 'node_modules/typescript/bin/tsc')], folder);
}

const compiled = { status: 0, stdout: '', stderr: '' };

describe('the package', () => {
  test('holds what runs, and nothing else', () => {
    const paths = Object.keys(packed.files);
    const kinds = paths.filter((path) => !/^dist\/(parts\/[\w.-]+\.js|types\/[\w/-]+\.d\.ts)$/.test(path));
    expect(kinds.sort()).toEqual([
      'LICENSE',
      'README.md',
      'bin/adreport.js',
      'dist/LICENSES.txt',
      'dist/local-server.js',
      'dist/main.js',
      'package.json',
    ]);
    expect(paths.length).toBeGreaterThan(kinds.length + 50);
  });

  test('is 6 MB at most when unpacked', () => {
    const sizeBytes = Object.values(packed.files).reduce((sum, size) => sum + size, 0);
    expect(sizeBytes).toBeGreaterThan(1_000_000);
    expect(sizeBytes).toBeLessThan(6_000_000);
  });

  test('every part in it is asked for by another file of it', () => {
    const folder = installInProject({});
    const dist = join(folder, 'node_modules/adreport/dist');
    const parts = readdirSync(join(dist, 'parts'));
    const all = [...parts.map((name) => join('parts', name)), 'main.js', 'local-server.js'];
    const text = all.map((name) => readFileSync(join(dist, name), 'utf8')).join('\n');
    const isAskedFor = (name: string) => text.includes(`/${name}"`);
    expect(parts.filter((name) => !isAskedFor(name))).toEqual([]);
  });

  test('brings no package along, and runs nothing when it is installed', () => {
    const folder = installInProject({});
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/adreport/package.json'), 'utf8'));
    for (const name of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']) {
      expect(manifest).not.toHaveProperty(name);
    }
    // Not even `prepare`, which npm asks about.
    for (const name of ['scripts', 'devDependencies']) expect(manifest).not.toHaveProperty(name);
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['adreport']);
    const [, installed] = Object.entries<Record<string, unknown>>(
      JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages,
    ).find(([path]) => path === 'node_modules/adreport') ?? ['', {}];
    expect(installed).not.toHaveProperty('hasInstallScript');
  });

  test('the licence of every package that is bundled is in it', () => {
    const folder = installInProject({});
    const licences = readFileSync(join(folder, 'node_modules/adreport/dist/LICENSES.txt'), 'utf8');
    const bundled = [
      'chalk',
      'cli-progress',
      'commander',
      'conf',
      'csv-stringify',
      'hyparquet',
      'hyparquet-writer',
      'inquirer',
      'luxon',
      'string-width',
      'undici',
      'yaml',
    ];
    for (const name of bundled) expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(\\S+\\)$`, 'm'));
    expect(licences).not.toMatch(/\((undefined|UNLICENSED|A?GPL[^)]*)\)/);
  });
});

describe.skipIf(process.platform === 'win32')('installed for all, in an empty prefix, without network', () => {
  let folder: string;
  let program: string;
  let said: string;

  /** Once for all tests here: an install that each had of its own would prove nothing more. */
  beforeAll(() => {
    folder = join(dirname(packed.tarball), 'prefix');
    mkdirSync(folder);
    said = packed.npm(['install', '--global', '--prefix', folder, packed.tarball], folder);
    program = join(folder, 'bin/adreport');
  });

  test('it is one package', () => {
    expect(said.trim()).toMatch(/^added 1 package in \S+$/);
    expect(readdirSync(join(folder, 'lib/node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['adreport']);
  });

  test('the program is on the path, and tells its version', () => {
    const env = { PATH: `${dirname(program)}:${process.env.PATH}`, HOME: folder };
    const { stdout } = runNode('/bin/sh', ['-c', 'adreport --version'], temporaryFolder(), env);
    expect(stdout).toBe(`${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`);
    expect(runNode(program, ['--help'], temporaryFolder())).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('local-server'),
      stderr: '',
    });
  });

  test('the main job works from it', () => {
    const cwd = temporaryFolder();
    const argv = ['run', '--local', '--period', 'last-week', '--by', 'DAILY', '-o', 'x.csv'];
    expect(runNode(program, argv, cwd)).toMatchObject({ status: 0, stdout: '' });
    expect(readFileSync(join(cwd, 'x.csv'), 'utf8').trimEnd().split('\r\n')).toHaveLength(8);
  });

  test('the local server gets ready, and ends with exit 0 when it is told to', async () => {
    const cwd = temporaryFolder();
    const env = { PATH: process.env.PATH, ADREPORT_CONFIG_DIR: cwd };
    const child = spawn(program, ['local-server', '--port', '0', '--json'], { cwd, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'close');
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    const { url } = JSON.parse(line);
    expect((await fetch(`${url}/__admin/health`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});

describe('adreport/local-server in a project of its own', () => {
  const consumer = `
    import { startLocalServer, type LocalAccount, type LocalServer, type LoggedRequest } from 'adreport/local-server';

    const service: LocalServer = await startLocalServer({ delayMs: 0, faults: ['status:503:times=1'] });
    const [buyer]: readonly LocalAccount[] = service.accounts;
    const answer = await fetch(service.url + '/buyer-reporting', {
      method: 'POST',
      headers: { authorization: buyer?.token ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ since: 1_780_272_000, until: 1_780_358_399, metrics: 'displays' }),
    });
    const requests: LoggedRequest[] = service.requests();
    console.log(answer.status, requests.map(({ path }) => path).join());
    // @ts-expect-error There is no such option.
    const mistaken: Parameters<typeof startLocalServer>[0] = { delay: 1 };
    // @ts-expect-error What the server tells cannot be changed.
    service.url = String(mistaken);
    await service.close();
  `;

  test('in TypeScript, as strict as it can be', () => {
    const folder = installInProject({ 'consumer.ts': consumer }, ['@types/node']);
    const strictest = { skipLibCheck: false, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };
    expect(compile(folder, ['consumer.ts'], strictest)).toEqual(compiled);
    // The mistake that TypeScript is told to expect stops the program, but only after what it is to print.
    expect(runNode(node, ['consumer.js'], folder).stdout).toBe('200 /buyer-reporting\n');
  });

  test('a mistake in it is found', () => {
    const folder = installInProject({ 'consumer.ts': consumer.replace('delayMs: 0', "delayMs: '0'") }, ['@types/node']);
    const { status, stdout } = compile(folder, ['consumer.ts'], { skipLibCheck: false });
    expect(status).not.toBe(0);
    expect(stdout).toContain("'string' is not assignable to type 'number'");
  });

  const hello = "startLocalServer().then((service) => service.close()).then(() => console.log('closed'));";

  test('from CommonJS by import()', () => {
    const text = `import('adreport/local-server').then(({ startLocalServer }) => ${hello.replace(';', '')});`;
    const folder = installInProject({ 'consumer.cts': text }, ['@types/node']);
    expect(compile(folder, ['consumer.cts'], { skipLibCheck: false })).toEqual(compiled);
    expect(runNode(node, ['consumer.cjs'], folder)).toEqual({ status: 0, stdout: 'closed\n', stderr: '' });
  });

  test('from CommonJS by require(), where Node has that for modules, and a clear error where it has not', () => {
    const text = `const { startLocalServer } = require('adreport/local-server'); ${hello}`;
    const folder = installInProject({ 'consumer.cjs': text });
    const { status, stdout, stderr } = runNode(node, ['consumer.cjs'], folder);
    const isSupported = 'require_module' in process.features;
    if (isSupported) expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'closed\n', stderr: '' });
    else expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('ERR_REQUIRE_ESM') });
  });

  test('nothing else of the package can be reached into', () => {
    const text = "import('adreport/dist/main.js').catch((error) => console.log(error.code));";
    const folder = installInProject({ 'consumer.js': text });
    expect(runNode(node, ['consumer.js'], folder).stdout).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
  });

  test('the example of the topic testing passes in vitest', () => {
    const readme = readFileSync(join(root, 'src/help/testing.md'), 'utf8');
    const example = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)]
      .map(([, text = '']) => text)
      .find((text) => text.includes("'vitest'"));
    const myProgram = `
      async function call(url: string, token: string | undefined, body: object): Promise<Response> {
        const headers = { authorization: token ?? '', 'content-type': 'application/json' };
        for (let attempt = 1; ; attempt += 1) {
          const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
          if (answer.ok || attempt === 3) return answer;
        }
      }
      export async function createReport(url: string, token?: string): Promise<string> {
        const body = { since: 1_780_272_000, until: 1_780_358_399, metrics: 'displays' };
        const answer = await call(url + '/buyer-reporting', token, body);
        return ((await answer.json()) as { response: { report_id: string } }).response.report_id;
      }
      export async function reportStatus(url: string, token: string | undefined, id: string): Promise<string> {
        const answer = await call(url + '/status-reporting', token, { id });
        return ((await answer.json()) as { response: { status: string } }).response.status;
      }
    `;
    const files = { 'example.test.ts': example ?? '', 'my-program.ts': myProgram };
    const folder = installInProject(files, ['@types/node', 'vitest']);
    // The declarations of vitest are not ours to judge.
    expect(compile(folder, ['example.test.ts'], { skipLibCheck: true, noEmit: true })).toEqual(compiled);
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const argv = [vitest, 'run', '--root', realpathSync(folder), '--reporter=json'];
    const { numPassedTests, numTotalTests } = JSON.parse(runNode(node, argv, folder).stdout);
    expect({ numPassedTests, numTotalTests }).toEqual({ numPassedTests: 2, numTotalTests: 2 });
  });
});
