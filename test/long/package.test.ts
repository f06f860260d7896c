import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../support/programs.ts';
import { openTerminal } from '../support/pty.ts';
import { temporaryFolder, wordsOf } from '../support/run-cli.ts';
import { runToEnd } from '../support/spawn.ts';
import { hasWindows, Windows } from '../support/wine.ts';

/**
 * The published package. ADREPORT_NODES is a folder with the lowest and the highest supported Node,
 * as installed by `npm install --prefix FOLDER/26 node@26`. Tests of missing ones are skipped.
 */

const root = resolve(import.meta.dirname, '../..');
const base = mkdtempSync(join(tmpdir(), 'adreport-packed-'));
let tarball: string;

/** Sizes of the files in the package, in bytes, by path. */
let sizes: Readonly<Record<string, number>>;

const npmProgram = realpathSync(findProgram('npm') ?? '');

/** Runs npm on a Node; it must succeed. */
function npm(args: readonly string[], cwd: string, node = process.execPath): string {
  const result = runToEnd(node, [npmProgram, ...args], cwd, process.env);
  expect(result, result.stderr).toMatchObject({ status: 0 });
  return result.stdout;
}

beforeAll(() => {
  // In a copy, because packing builds the program that other tests run.
  const copy = join(base, 'copy');
  const notCopied = ['node_modules', 'dist', 'coverage', '.git'].map((name) => join(root, name));
  cpSync(root, copy, { recursive: true, filter: (path) => !notCopied.includes(path) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const [packed] = JSON.parse(npm(['pack', '--json', '--pack-destination', base], copy));
  tarball = join(base, packed.filename);
  sizes = Object.fromEntries(
    packed.files.map(({ path, size }: { path: string; size: number }) => [path, size]),
  );
}, 300_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('the package', () => {
  test('contains only what is needed to run it', () => {
    const built = /^dist\/([\w.-]+\.c?js|parts\/[\w.-]+\.js|types\/[\w/-]+\.d\.c?ts)$/;
    const others = Object.keys(sizes).filter((path) => !built.test(path));

    expect(others.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/adreport.js',
      'package.json',
    ]);
  });

  test('has at most 2.1 MB, unpacked', () => {
    const sizeBytes = Object.values(sizes).reduce((sum, size) => sum + size, 0);

    expect(sizeBytes).toBeGreaterThan(1_000_000);
    expect(sizeBytes).toBeLessThan(2_100_000);
  });

  const toolFolder = join(process.env.ADREPORT_TOOLS ?? '', 'node_modules');
  const judges = [
    { name: 'publint', file: 'publint/src/cli.js', flags: ['--strict'] },
    {
      name: 'arethetypeswrong',
      file: '@arethetypeswrong/cli/dist/index.js',
      flags: ['--profile', 'node16'],
    },
  ];

  for (const { name, file, flags } of judges) {
    const judge = join(toolFolder, file);
    const isHere = existsSync(judge);
    if (!isHere) console.log(`Skipped: ${name} (not in ADREPORT_TOOLS)`);

    test.skipIf(!isHere)(`${name} finds no problems, and finds planted ones`, () => {
      const judged = (packed: string) => runToEnd(process.execPath, [judge, packed, ...flags]);
      expect(judged(tarball)).toMatchObject({ status: 0, stderr: '' });

      const wrong = temporaryFolder();
      runToEnd('tar', ['-xzf', tarball, '-C', wrong]);
      const manifest = join(wrong, 'package/package.json');
      const text = readFileSync(manifest, 'utf8');
      writeFileSync(manifest, text.replace('types/local-server.d.ts', 'types/none.d.ts'));
      runToEnd('tar', ['-czf', join(wrong, 'wrong.tgz'), '-C', wrong, 'package']);
      expect(judged(join(wrong, 'wrong.tgz')).status).toBe(1);
    });
  }
});

/**
 * Installs the package and the newest versions of its packages into a new folder.
 *
 * @param flags more arguments of npm
 */
function installPackage(node: string, flags: readonly string[] = []): string {
  const folder = mkdtempSync(join(base, 'installed-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const install = ['install', '--engine-strict', '--ignore-scripts', '--no-package-lock'];
  npm([...install, '--no-audit', '--no-fund', ...flags, tarball], folder, node);
  return folder;
}

const bin = 'node_modules/adreport/bin/adreport.js';

/** Loads the imports of the package in both ways. */
const loads = `
  const { AdreportError, createClient } = require('adreport');
  const { startLocalServer } = require('adreport/local-server');
  Promise.all([import('adreport'), import('adreport/local-server')]).then(([main, local]) => {
    const isSame = main.AdreportError === AdreportError && main.createClient === createClient;
    console.log(isSame && local.startLocalServer === startLocalServer);
  });`;

/** The main job, and the same report through each kind of file. */
const jobs = [
  '--version',
  'run --local --direct --period 2026-10 --by DAILY,CAMPAIGN -q --format csv',
  'run --local --direct --period 2026-10 --by DAILY,CAMPAIGN -q -o report.parquet',
  'view report.parquet --by CAMPAIGN -q --format csv',
  'view report.parquet -q -o report.xlsx',
];

/** Runs all jobs with the build of this tree. */
function expectedOutputs(): string[] {
  const cwd = temporaryFolder();
  return jobs.map((line) => {
    const argv = [join(root, 'bin/adreport.js'), ...wordsOf(line)];
    return runToEnd(process.execPath, argv, cwd).stdout;
  });
}

describe.each(['20.18.1', '26'])('installed without a lock file on Node %s', (wanted) => {
  const node = join(process.env.ADREPORT_NODES ?? '', wanted, 'node_modules/node/bin/node');
  const isHere = existsSync(node);
  if (!isHere) console.log(`Skipped: Node ${wanted} (none in ADREPORT_NODES)`);

  describe.skipIf(!isHere)('the package', () => {
    let folder: string;
    beforeAll(() => {
      folder = installPackage(node);
    }, 300_000);

    test('both imports load with require and import, and are the same', () => {
      const loaded = runToEnd(node, ['-e', loads], folder);

      expect(loaded).toEqual({ status: 0, stdout: 'true\n', stderr: '' });
    });

    test('the program prints the same on every Node, without warnings of Node', () => {
      const results = jobs.map((line) => runToEnd(node, [bin, ...wordsOf(line)], folder));

      expect(results.map(({ status, stderr }) => `${status}${stderr}`)).toEqual(
        jobs.map(() => '0'),
      );
      expect(results.map(({ stdout }) => stdout)).toEqual(expectedOutputs());
      expect(results[1]?.stdout.length).toBeGreaterThan(5_000);
    });

    test('stores an account by a sign-in, and every later command finds it', () => {
      // `local-server exec` runs the commands with the server's address in the environment.
      const program = `'${node}' '${join(folder, bin)}'`;
      const script = `
        url=$ADREPORT_BASE_URL token=$ADREPORT_TOKEN; unset ADREPORT_BASE_URL ADREPORT_TOKEN
        echo "$token" | ${program} login -q --base-url "$url" --token-stdin
        ${program} whoami | grep -c "$url"
        exit 7`;
      const exec = wordsOf('local-server exec -- sh -c');

      const { status, stdout } = runToEnd(node, [bin, ...exec, script], folder);

      expect({ status, stdout }).toEqual({ status: 7, stdout: '1\n' });
    });

    test.skipIf(process.platform === 'win32')(
      'in a terminal: a bar, a question, Ctrl-C',
      async () => {
        const env = { ADREPORT_CONFIG_DIR: temporaryFolder() };
        const cwd = folder;
        const line = 'run --local --period 2026-10 -o r.csv';
        const run = openTerminal(node, [bin, ...wordsOf(line)], { cwd, env });

        await run.waitFor('Wrote r.csv');

        expect(await run.exitCode).toBe(0);
        expect(run.output).not.toMatch(/warning/i);

        const login = openTerminal(node, [bin, 'login'], { cwd, env });
        await login.waitFor(/base url/i);
        login.type('\u0003');

        expect(await login.exitCode).toBe(130);
      },
    );
  });
});

describe.skipIf(!hasWindows)('installed without a lock file on Windows', () => {
  let folder: string;
  let windows: Windows;
  beforeAll(() => {
    windows = new Windows();
    folder = installPackage(process.execPath, ['--os=win32', '--cpu=x64']);
  }, 300_000);
  afterAll(() => windows?.stop());

  const runNode = (args: readonly string[]) =>
    windows.startProgram('node.exe', args, { cwd: folder }).ended;

  test('both imports load with require and import, and are the same', async () => {
    writeFileSync(join(folder, 'loads.cjs'), loads);

    expect(await runNode(['loads.cjs'])).toMatchObject({ exitCode: 0, stdout: 'true\n' });
  });

  test('the program prints the same as elsewhere', async () => {
    const outputs: string[] = [];
    for (const line of jobs) {
      const { exitCode, stdout, stderr } = await runNode([bin, ...wordsOf(line)]);
      expect(exitCode, stderr).toBe(0);
      outputs.push(stdout);
    }

    expect(outputs).toEqual(expectedOutputs());
  });
});

describe('the imports of the package in a new project', () => {
  /** A folder in which the package is installed; the packages it needs are those of this tree. */
  const project = join(base, 'consumers/project');

  beforeAll(() => {
    const place = join(project, 'node_modules');
    mkdirSync(place, { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(base, 'consumers/node_modules'), 'junction');
    runToEnd('tar', ['-xzf', tarball, '-C', place], place);
    renameSync(join(place, 'package'), join(place, 'adreport'));
  });

  /** Creates a project with some files. */
  function createProject(files: Readonly<Record<string, string>>): string {
    const folder = mkdtempSync(join(project, 'consumer-'));
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  }

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
    // @ts-expect-error The properties of the server are read-only.
    service.url = String(mistaken);
    await service.close();
  `;

  /** Type-checks a file in strict mode, and writes the JavaScript next to it. */
  function compile(folder: string, file: string, options = {}) {
    const strict = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
    };
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2022',
      types: ['node'],
      ...strict,
      ...options,
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: [file] }),
    );
    return runToEnd(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], folder);
  }

  test('in TypeScript, where a mistake is found', () => {
    const folder = createProject({ 'consumer.ts': consumer });

    expect(compile(folder, 'consumer.ts')).toEqual({ status: 0, stdout: '', stderr: '' });
    // The expected type error makes the program fail, but only after its output.
    expect(runToEnd(process.execPath, ['consumer.js'], folder).stdout).toBe(
      '200 /buyer-reporting\n',
    );

    writeFileSync(join(folder, 'consumer.ts'), consumer.replace('delayMs: 0', "delayMs: '0'"));

    expect(compile(folder, 'consumer.ts').stdout).toContain(
      "'string' is not assignable to type 'number'",
    );
  });

  const reader = `
    import { AdreportError, createClient, type Row } from 'adreport';
    import { startLocalServer } from 'adreport/local-server';

    const server = await startLocalServer({ delayMs: 0 });
    const client = createClient({ baseUrl: server.url, token: server.accounts[0]?.token });
    const report = await client.fetchReport({
      period: '2026-11-02..2026-11-08',
      by: ['DAILY', 'CAMPAIGN'],
      metrics: ['displays'],
      filters: { country: ['FR'] },
    });
    const days = new Set<string>();
    for await (const row of report.rows()) {
      const typed: Row<'buyer', 'DAILY' | 'CAMPAIGN', 'displays'> = row;
      const displays: number | null = typed.displays;
      if (displays !== null) days.add(row.date);
      // @ts-expect-error It was not asked for.
      row.clicks;
    }
    console.log(days.size, report.warnings.length);
    // @ts-expect-error There is no such breakdown.
    const mistake = client.fetchReport({ period: '2026-11', by: ['DAYLY'] });
    await mistake.catch((error: unknown) => {
      console.log(error instanceof AdreportError && error.exitCode);
    });
    await server.close();
  `;

  test('the client reads a report row by row, without types of Node, and the process ends by itself', () => {
    const folder = createProject({ 'reader.ts': reader });

    expect(compile(folder, 'reader.ts', { types: [] })).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
    expect(runToEnd(process.execPath, ['reader.js'], folder)).toMatchObject({
      status: 0,
      stdout: '7 0\n2\n',
      stderr: '',
    });
  });

  test('the client from CommonJS with require, in TypeScript too', () => {
    const text = `
      import adreport = require('adreport');
      const isRefused = (error: unknown): error is adreport.AdreportError =>
        error instanceof adreport.AdreportError;
      try {
        adreport.createClient({ baseUrl: 'http://example.com', token: 'a' });
      } catch (error) {
        console.log(isRefused(error) && error.exitCode);
      }`;
    const folder = createProject({ 'consumer.cts': text });

    expect(compile(folder, 'consumer.cts')).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(runToEnd(process.execPath, ['consumer.cjs'], folder)).toMatchObject({ stdout: '2\n' });
  });

  const jest = join(process.env.ADREPORT_TOOLS ?? '', 'node_modules/jest/bin/jest.js');
  if (!existsSync(jest)) console.log('Skipped: Jest (not in ADREPORT_TOOLS)');

  test.skipIf(!existsSync(jest))('a test of Jest requires the local server', () => {
    const text = `
      const { startLocalServer } = require('adreport/local-server');
      let service;
      beforeAll(async () => { service = await startLocalServer(); });
      afterAll(() => service.close());

      test('the list has one campaign', async () => {
        service.fault({ endpoint: 'campaigns', change: (campaigns) => campaigns.slice(0, 1) });
        const headers = { authorization: service.accounts[0].token };
        const response = await fetch(service.url + '/campaigns', { headers });
        expect(await response.json()).toHaveLength(1);
      });`;
    const folder = createProject({ 'example.test.cjs': text, 'jest.config.json': '{}' });
    const config = { rootDir: realpathSync(folder), testMatch: ['**/*.test.cjs'], transform: {} };
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));

    const result = runToEnd(process.execPath, [jest, '--json', '--silent'], folder);

    expect(JSON.parse(result.stdout)).toMatchObject({ numPassedTests: 1, numTotalTests: 1 });
  });

  test('the example of the topic testing passes in vitest', () => {
    const topic = readFileSync(join(root, 'src/help/testing.md'), 'utf8');
    const examples = [...topic.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);
    const myProgram = `
      async function call(url: string, token: string | undefined, body: object) {
        for (;;) {
          const headers = { authorization: token ?? '' };
          const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
          const { response } = (await answer.json()) as { response: { report_id: string; status: string } };
          if (answer.ok) return response;
        }
      }
      const day = { since: 1_780_272_000, until: 1_780_358_399, metrics: 'displays' };
      export const createReport = async (url: string, token?: string): Promise<string> =>
        (await call(url + '/buyer-reporting', token, day)).report_id;
      export const reportStatus = async (url: string, token: string | undefined, id: string): Promise<string> =>
        (await call(url + '/status-reporting', token, { id })).status;
    `;
    const example = examples.find((text) => text.includes("'vitest'")) ?? '';
    const folder = createProject({ 'example.test.ts': example, 'my-program.ts': myProgram });
    // Errors in the declarations of vitest do not matter.
    const options = { skipLibCheck: true, noEmit: true };

    expect(compile(folder, 'example.test.ts', options)).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });

    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const argv = [vitest, 'run', '--root', realpathSync(folder), '--reporter=json'];

    const { numPassedTests, numTotalTests } = JSON.parse(
      runToEnd(process.execPath, argv, folder).stdout,
    );

    const count = example.match(/^test\(/gm)?.length;
    expect({ numPassedTests, numTotalTests }).toEqual({
      numPassedTests: count,
      numTotalTests: count,
    });
  });
});
