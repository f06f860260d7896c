import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTerminal } from '../support/pty.ts';
import { temporaryFolder, wordsOf } from '../support/run-cli.ts';
import { runToEnd, start } from '../support/spawn.ts';

/**
 * The published package, installed on every supported Node. ADREPORT_NODES is a folder with one of
 * each, as installed by `npm install --prefix FOLDER/24 node@24`; missing ones are skipped.
 */

const root = resolve(import.meta.dirname, '../..');
const { version, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const base = mkdtempSync(join(tmpdir(), 'adreport-packed-'));
const prefix = join(base, 'prefix');
const bin = join(prefix, 'lib/node_modules/adreport/bin/adreport.js');
const copy = join(base, 'copy');
let tarball: string;

/** Sizes of the files in the package, in bytes, by path. */
let sizes: Readonly<Record<string, number>>;
let installOutput: string;

/** Runs npm without network, cache or inherited settings. */
function npm(args: readonly string[], cwd: string): string {
  const result = runToEnd('npm', [...args, '--offline', '--cache', join(base, 'cache')], cwd, {
    HOME: base,
  });
  expect(result, result.stderr).toMatchObject({ status: 0 });
  return result.stdout;
}

beforeAll(() => {
  // In a copy, because packing builds the program that other tests run.
  const notCopied = ['node_modules', 'dist', 'coverage', '.git'].map((name) => join(root, name));
  cpSync(root, copy, { recursive: true, filter: (path) => !notCopied.includes(path) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const [packed] = JSON.parse(npm(['pack', '--json', '--pack-destination', base], copy));
  tarball = join(base, packed.filename);
  sizes = Object.fromEntries(
    packed.files.map(({ path, size }: { path: string; size: number }) => [path, size]),
  );
  mkdirSync(prefix);
  installOutput = npm(['install', '--global', '--prefix', prefix, tarball], prefix);
}, 300_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('the package', () => {
  test('contains only what is needed to run it, in 11 MB', () => {
    const paths = Object.keys(sizes);
    const kinds = paths.filter(
      (path) => !/^dist\/([\w.-]+\.c?js|parts\/[\w.-]+\.js|types\/[\w/-]+\.d\.c?ts)$/.test(path),
    );

    expect(kinds.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/adreport.js',
      'dist/LICENSES.txt',
      'dist/SKILL.md',
      'dist/adreport.schema.json',
      'package.json',
    ]);

    const sizeBytes = Object.values(sizes).reduce((sum, size) => sum + size, 0);

    expect(sizeBytes).toBeGreaterThan(1_000_000);
    expect(sizeBytes).toBeLessThan(11_000_000);
  });

  test('is installed without network, dependencies or scripts', () => {
    expect(installOutput.trim()).toMatch(/^added 1 package in \S+$/);

    const manifest = JSON.parse(readFileSync(join(bin, '../../package.json'), 'utf8'));
    const unwanted = [
      'dependencies',
      'optionalDependencies',
      'peerDependencies',
      'scripts',
      'devDependencies',
    ];

    expect(Object.keys(manifest).filter((name) => unwanted.includes(name))).toEqual([]);
  });

  test('has the licence of every package that is bundled', () => {
    const licences = readFileSync(join(bin, '../../dist/LICENSES.txt'), 'utf8');
    const bundled =
      'chalk cli-progress commander conf csv-parse csv-stringify fastify fflate hyparquet hyparquet-writer inquirer luxon qs';

    for (const name of `${bundled} undici yaml zod`.split(' ')) {
      expect(devDependencies).toHaveProperty(name);
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(\\S+\\)$`, 'm'));
    }
    expect(licences).not.toMatch(/\((undefined|UNLICENSED|A?GPL[^)]*)\)/);
  });
});

describe('statements about the package', () => {
  /** A component of npm's SBOM. */
  interface Component {
    readonly 'bom-ref': string;
    readonly name: string;
    readonly version: string;
    readonly scope: string;
  }

  test('the SBOM lists exactly the bundled packages', () => {
    npm(['run', 'sbom'], copy);

    const list = JSON.parse(readFileSync(join(copy, `adreport-${version}.cdx.json`), 'utf8'));
    const components: readonly Component[] = list.components;
    const licences = readFileSync(join(bin, '../../dist/LICENSES.txt'), 'utf8');
    const bundled = [...licences.matchAll(/^(\S+ \d+\.\d+\.\S+) \(\S.*\)$/gm)].map(
      ([, one]) => one,
    );
    const named = components.map((one) => `${one.name} ${one.version}`);
    expect(named.sort()).toEqual([...new Set(bundled)].sort());
    expect(components.filter(({ scope }) => scope !== 'required')).toEqual([]);
    expect(list).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'adreport', version } },
    });

    const refs = new Set([`adreport@${version}`, ...components.map((one) => one['bom-ref'])]);
    const edges: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[] =
      list.dependencies;
    expect(new Set(edges.map(({ ref }) => ref))).toEqual(refs);
    expect(edges.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([]);
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

let expected: readonly string[];

/** Fetches one report in each format. Node's warnings would be on stderr. */
function fetchReports(node: string): string[] {
  const cwd = temporaryFolder();
  const report = 'run --local --direct --period 2026-10 --by DAILY,CAMPAIGN,COUNTRY';
  return ['report.csv', 'report.json', 'report.ndjson'].map((file) => {
    const argv = [bin, ...wordsOf(`${report} -q -o ${file}`)];
    expect(runToEnd(node, argv, cwd)).toEqual({ status: 0, stdout: '', stderr: '' });
    return readFileSync(join(cwd, file), 'utf8');
  });
}

describe.each(['this', '20.12.0', '22', '24', '26'])('on Node %s', (wanted) => {
  const node =
    wanted === 'this'
      ? process.execPath
      : join(process.env.ADREPORT_NODES ?? '', wanted, 'node_modules/node/bin/node');
  const isHere = existsSync(node);
  if (!isHere) console.log(`Skipped: Node ${wanted} (none in ADREPORT_NODES)`);

  describe.skipIf(!isHere)('the installed program', () => {
    test('runs on that Node, and prints version and help without warnings', () => {
      const versionText = runToEnd(node, ['--version']).stdout.trim();

      if (wanted !== 'this') expect(`${versionText}.`.startsWith(`v${wanted}.`)).toBe(true);
      expect(runToEnd(node, [bin, '--version'])).toEqual({
        status: 0,
        stdout: `${version}\n`,
        stderr: '',
      });
      expect(runToEnd(node, [bin, 'run', '--help'])).toMatchObject({ status: 0, stderr: '' });
    });

    test('writes the same reports, byte for byte', () => {
      const reports = fetchReports(node);
      expected ??= reports;

      expect(reports).toEqual(expected);
      for (const text of reports) expect(text.length).toBeGreaterThan(50_000);
    });

    test('stores an account by a sign-in, and every later command finds it', () => {
      // `local-server exec` runs the commands on this Node, with the server's address in the
      // environment.
      const program = `'${node}' '${bin}'`;
      const script = `
        url=$ADREPORT_BASE_URL token=$ADREPORT_TOKEN; unset ADREPORT_BASE_URL ADREPORT_TOKEN
        echo "$token" | ${program} login -q --base-url "$url" --token-stdin
        ${program} whoami | grep -c "$url"
        exit 7`;

      const exec = wordsOf('local-server exec -- sh -c');
      const { status, stdout, stderr } = runToEnd(node, [bin, ...exec, script]);

      expect({ status, stdout }).toEqual({ status: 7, stdout: '1\n' });
      expect(stderr).not.toMatch(/warning|deprecat|experimental/i);
    });

    test.each([
      { fault: 'buyer:403', exitCode: 4 },
      { fault: 'status:503', exitCode: 5 },
      { fault: 'download:truncate:bytes=100', exitCode: 9 },
    ])('$fault: exit $exitCode, and no files remain', ({ fault, exitCode }) => {
      const cwd = temporaryFolder();
      const exec = wordsOf(`local-server --delay 0s --fault ${fault} exec --`);
      const run = wordsOf('run --period 2026-10-01 --retries 0 --json -o r.csv');

      const argv = [bin, ...exec, node, bin, ...run];
      const { status, stdout, stderr } = runToEnd(node, argv, cwd);

      expect({ status, stdout }).toEqual({ status: exitCode, stdout: '' });
      expect(stderr).not.toMatch(/\(node:\d+\)|\bat .*:\d+:\d+/);
      expect(existsSync(join(cwd, 'r.csv'))).toBe(false);
    });

    test.skipIf(process.platform === 'win32')(
      'SIGTERM ends the local server with exit 0',
      async () => {
        const { child, printed, ended } = start(node, [
          bin,
          'local-server',
          '--port',
          '0',
          '--json',
        ]);

        const { url } = JSON.parse(await printed(/^.+\n/));

        expect((await fetch(`${url}/openapi.json`)).status).toBe(200);

        child.kill('SIGTERM');

        expect(await ended).toMatchObject({ exitCode: 0, signal: null });
      },
    );

    test.skipIf(process.platform === 'win32')(
      'in a terminal: a bar, a question, Ctrl-C',
      async () => {
        const cwd = temporaryFolder();
        const env = { ADREPORT_CONFIG_DIR: join(cwd, '.config') };
        const run = openTerminal(
          node,
          [bin, 'run', '--local', '--period', '2026-10', '-o', 'r.csv'],
          { cwd, env },
        );

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

describe('the imports of the package in a new project', () => {
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

  /** Installs the package, and links some packages of this tree, into a project with some files. */
  function install(
    files: Readonly<Record<string, string>>,
    others: readonly string[] = [],
  ): string {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    npm(['install', tarball], folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    for (const name of others) {
      const place = join(folder, 'node_modules', name);
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), place, 'junction');
    }
    return folder;
  }

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
    const folder = install({ 'consumer.ts': consumer }, ['@types/node']);

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
    const folder = install({ 'reader.ts': reader });

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
    const folder = install({ 'consumer.cts': text }, ['@types/node']);

    expect(compile(folder, 'consumer.cts')).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(runToEnd(process.execPath, ['consumer.cjs'], folder)).toMatchObject({ stdout: '2\n' });
  });

  test('from CommonJS with require, in TypeScript too', () => {
    const text = `
      import local = require('adreport/local-server');
      const spoil: local.FaultObject = { endpoint: 'campaigns', change: () => [] };
      local.startLocalServer({ delayMs: 0 }).then(async (service: local.LocalServer) => {
        service.fault(spoil);
        const headers = { authorization: service.accounts[0]?.token ?? '' };
        console.log(await (await fetch(service.url + '/campaigns', { headers })).text());
        console.log((await fetch(service.url + '/openapi.json')).status);
        await service.close();
      });`;
    const folder = install({ 'consumer.cts': text }, ['@types/node']);

    expect(compile(folder, 'consumer.cts')).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(runToEnd(process.execPath, ['consumer.cjs'], folder)).toMatchObject({
      stdout: '[]\n200\n',
      stderr: '',
    });
  });

  const jest = join(process.env.ADREPORT_TOOLS ?? '', 'node_modules/jest/bin/jest.js');
  if (!existsSync(jest)) console.log('Skipped: Jest (not in ADREPORT_TOOLS)');

  test.skipIf(!existsSync(jest))('the lines for Jest of the topic testing pass in it', () => {
    const topic = readFileSync(join(root, 'src/help/testing.md'), 'utf8');
    const [, text = ''] = /```js\n([\s\S]*?)```/.exec(topic) ?? [];
    const folder = install({ 'example.test.cjs': text, 'jest.config.json': '{}' });
    const config = { rootDir: realpathSync(folder), testMatch: ['**/*.test.cjs'], transform: {} };
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));

    const result = runToEnd(process.execPath, [jest, '--json', '--silent'], folder);

    expect(JSON.parse(result.stdout)).toMatchObject({ numPassedTests: 1, numTotalTests: 1 });
  });

  test('from CommonJS with import(); nothing else of the package can be imported', () => {
    const text = `
      import('adreport/local-server').then(({ startLocalServer }) =>
        startLocalServer().then((service) => service.close()).then(() => console.log('closed')));
      import('adreport/dist/main.js').catch((error) => console.log(error.code));`;

    const folder = install({ 'consumer.cjs': text });

    expect(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['adreport']);

    const lines = runToEnd(process.execPath, ['consumer.cjs'], folder).stdout.trim().split('\n');

    expect(lines.sort()).toEqual(['ERR_PACKAGE_PATH_NOT_EXPORTED', 'closed']);
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
    const folder = install({ 'example.test.ts': example, 'my-program.ts': myProgram }, [
      '@types/node',
      'vitest',
    ]);
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

    expect({ numPassedTests, numTotalTests }).toEqual({ numPassedTests: 4, numTotalTests: 4 });
  });
});
