import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { noSettings, withAccount } from '../../src/account/store.ts';
import type { ServerOptions } from '../../src/server/options.ts';
import { type AccountName, callerOf, tokens } from '../server/local.ts';
import { type CliOptions, type CommandLine, expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Accounts are stored, and the environment has none. */
const env = {
  ADREPORT_BASE_URL: undefined,
  ADREPORT_TOKEN: undefined,
  ADREPORT_PROFILE: undefined,
};

/** Serves accounts with these names, stored with their tokens. */
async function serveStored(
  options: ServerOptions = { delayMs: 0 },
  names: readonly AccountName[] = ['buyer', 'admin'],
) {
  const service = await serveForTest(options);
  const run = (line: CommandLine, more: CliOptions = {}) =>
    service.run(line, { ...more, env: { ...env, ...more.env } });

  let settings = noSettings;
  for (const name of names) {
    const profile = name === 'dsp' ? 'dsp' : 'buyer';
    const account = { baseUrl: service.server.url, token: tokens[name], profile } as const;
    settings = withAccount(settings, name, account);
  }
  const folder = join(service.cwd, '.config');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });

  const sent = () => service.server.requests();

  /** The account of each created report, in order. */
  const creators = () =>
    sent()
      .filter(({ endpoint }) => endpoint === 'buyer')
      .map(callerOf);

  return { ...service, run, sent, creators };
}

type Service = Awaited<ReturnType<typeof serveStored>>;

const oneDay = '--period 2026-11-09 --by CAMPAIGN -q';
const twoDays = '--period 2026-11-09..2026-11-10 --by CAMPAIGN --split day -q';

/** The file of a single account. */
async function fileOfAlone({ run }: Service, account: AccountName): Promise<string | undefined> {
  const { files } = await run(`run --account ${account} ${oneDay} -o alone/${account}.csv`);
  return files[`alone/${account}.csv`];
}

function names(files: Readonly<Record<string, string>>): string[] {
  return Object.keys(files).sort();
}

describe('run for several accounts', () => {
  let service: Service;
  beforeEach(async () => {
    service = await serveStored();
  });

  test.each([{ choice: 'admin,buyer,admin' }, { choice: 'all' }])(
    '--account $choice writes the same file for each account as a single run',
    async ({ choice }) => {
      const line = `run --account ${choice} ${oneDay} -o {account}-{date}.csv`;
      const { exitCode, files } = await service.run(line);

      expect(exitCode).toBe(0);
      expect(names(files)).toEqual(['admin-2026-11-09.csv', 'buyer-2026-11-09.csv']);
      expect(files['buyer-2026-11-09.csv']).not.toBe(files['admin-2026-11-09.csv']);
      expect(files['buyer-2026-11-09.csv']).toBe(await fileOfAlone(service, 'buyer'));
      expect(files['admin-2026-11-09.csv']).toBe(await fileOfAlone(service, 'admin'));
    },
  );

  test('{account} is the name by which an account is chosen, also “default”', async () => {
    const { run, server } = await serveStored({ delayMs: 0 }, []);
    const login = `login --base-url ${server.url} --email buyer@example.com --password-stdin -q`;
    await run(login, { stdin: 'demo' });

    const { files } = await run(`run --account all ${oneDay} -o {account}.csv`);

    expect(names(files)).toEqual(['default.csv']);
  });

  test.each([
    { flags: '', says: 'Cannot write several accounts to stdout.' },
    {
      flags: '-o {date}.csv',
      says: 'Cannot write several accounts to -o {date}.csv.',
    },
    { flags: '-o {account}.csv --columns xyzzy', says: 'Unknown column “xyzzy” in --columns.' },
  ])('with “$flags” is exit 2 before the first call', async ({ flags, says }) => {
    const before = service.server.requests().length;

    expectRefusal(await service.run(`run --account all ${oneDay} ${flags}`), 2, says);
    expect(service.server.requests()).toHaveLength(before);
  });
});

describe('the account that is used', () => {
  const line = `run --period 2026-11-09 --by CAMPAIGN --json -o {account}.csv`;
  const otherToken = { ADREPORT_TOKEN: tokens.admin };

  test('an unknown name is exit 3, without a call', async () => {
    const { run, sent, server } = await serveStored();
    const strange = { ...otherToken, ADREPORT_BASE_URL: server.url };

    for (const command of [line, 'status 1']) {
      const result = await run(`${command} --account nope`, { env: strange });
      expectRefusal(result, 3, 'No stored account is named “nope”');
      expect(result.files).toEqual({});
    }
    expect(sent()).toEqual([]);
  });

  test.each([
    { source: 'ADREPORT_ACCOUNT', more: { ADREPORT_ACCOUNT: 'client-7' }, name: 'client-7' },
  ])('a token from the environment is named $name ($source)', async ({ more, name }) => {
    const { run, creators, server } = await serveStored();
    const given = { ...otherToken, ADREPORT_BASE_URL: server.url, ...more };

    const { stdout, files } = await run(line, { env: given });

    expect(creators()).toEqual(['admin']);
    expect(JSON.parse(stdout).account).toBe(name);
    expect(names(files)).toEqual([`${name}.csv`]);
    expect(JSON.parse((await run('whoami --json', { env: given })).stdout).account).toBe(name);
  });

  test('the environment takes precedence over adreport.yaml', async () => {
    const { run, cwd, creators } = await serveStored();
    writeFileSync(join(cwd, 'adreport.yaml'), 'defaults: {account: buyer}');

    const byToken = await run(line, { env: otherToken });
    await run(line);

    expect(creators()).toEqual(['admin', 'buyer']);
    expect(JSON.parse(byToken.stdout).account).toBe('default');
  });
});

describe('a refused token is reported with its source', () => {
  test.each([
    {
      place: 'the environment',
      flags: '',
      more: { ADREPORT_TOKEN: tokens.buyer },
      says: 'rejected the token in ADREPORT_TOKEN',
      mends: 'Set ADREPORT_TOKEN to a valid token',
    },
    {
      place: 'an account that adreport.yaml names',
      flags: '',
      more: {},
      says: 'rejected the stored token of account “admin” (named in adreport.yaml)',
      mends: 'adreport login --account admin',
    },
    {
      place: 'an e-mail address and password',
      flags: '',
      more: { ADREPORT_EMAIL: 'buyer@example.com', ADREPORT_PASSWORD: 'wrong' },
      says: 'rejected the sign-in',
      mends: 'Correct ADREPORT_EMAIL and ADREPORT_PASSWORD',
    },
  ])('$place', async ({ place, flags, more, says, mends }) => {
    const { run, cwd, server } = await serveStored();
    server.fault('buyer:401');
    server.fault('campaigns:401');
    if (place.includes('yaml')) {
      writeFileSync(join(cwd, 'adreport.yaml'), 'defaults: {account: admin}');
    }

    const result = await run(`run ${flags} ${oneDay} --json`, { env: more });

    expectRefusal(result, 3, says);
    expect(JSON.parse(result.stderr.trimEnd().split('\n').at(-1) ?? '').error.hint).toContain(
      mends,
    );
  });
});

describe('a failing account among several', () => {
  test('is named, and the others are fetched', async () => {
    const { run, server } = await serveStored();
    server.fault({
      endpoint: 'buyer',
      kind: '401',
      when: ({ headers }) => headers.authorization === tokens.buyer,
    });

    const line = `run --account all ${twoDays} --concurrency 1 -o {account}/{date}.csv`;
    const result = await run(line);

    expectRefusal(result, 3, /2 reports \(buyer 2026-11-09, .*\) failed: /);
    expect(names(result.files)).toEqual(['admin/2026-11-09.csv', 'admin/2026-11-10.csv']);
    const refusals = server.requests().filter(({ status }) => status === 401);
    expect(refusals).toHaveLength(1);
  });

  test('is resumed by its own command, with dates', async () => {
    const { run, creators } = await serveStored({ delayMs: 20_000 });
    const line = 'run --account all --period yesterday --wait-timeout 5s -o {account}.csv';

    const stopped = await run(line);

    const commands = stopped.stderr.match(/(?<=^ +adreport )run .*--period 2026-11-19 .*/gm) ?? [];
    expect(stopped.exitCode).toBe(7);
    for (const command of commands) await run(command.replaceAll("'", ''));
    expect(names((await run('config path')).files)).toEqual(['admin.csv', 'buyer.csv']);
    expect(creators()).toHaveLength(2);
  });

  test('is exit 3 for all if it is not stored', async () => {
    const { run, sent } = await serveStored();

    const result = await run(`run --account buyer,gone,admin ${oneDay} -o {account}.csv`);

    expectRefusal(result, 3, 'No stored account is named “gone”.');
    expect(sent()).toEqual([]);
  });

  test('is exit 2 for all if its request is invalid', async () => {
    const { run, sent } = await serveStored({ delayMs: 0 }, ['buyer', 'dsp']);

    const result = await run(`run --account all ${oneDay} --metrics downloads -o {account}.csv`);

    expectRefusal(result, 2, 'Unknown metric “downloads”.');
    expect(sent()).toEqual([]);
  });
});

test('each account has its own folder', async () => {
  const { run, creators } = await serveStored();
  const line = `run --account all ${twoDays} -o data/{account}/{date}.csv`;

  const first = await run(line);
  expect(first.exitCode).toBe(0);
  expect(names(first.files)).toHaveLength(4);
  for (const account of ['admin', 'buyer']) {
    expect(first.histories[`data/${account}/_adreport.yaml`]).toContain(`account: ${account}\n`);
  }

  expect((await run(line.replace(' -q', ''))).stderr).toContain('Nothing to download');
  expect((await run('update data')).exitCode).toBe(0);
  expect(creators()).toHaveLength(4);
  expect((await run('check data')).exitCode).toBe(0);
});

describe('adreport.yaml', () => {
  const yaml = `
defaults: {account: [buyer, admin], period: 2026-11-09, by: CAMPAIGN}
reports:
  both: {output: "{report}-{account}.csv"}
  every: {account: all, output: "{report}-{account}.csv"}
  one: {account: admin, output: "{report}-{account}.csv"}
  clash:
    output: "{report}.csv"
`;

  test('can name several accounts, for one report or all', async () => {
    const service = await serveStored();
    writeFileSync(join(service.cwd, 'adreport.yaml'), yaml);

    const { files, exitCode } = await service.run('run both every one -q');

    expect(exitCode).toBe(0);
    const outputs = names(files).filter((name) => name.endsWith('.csv'));
    const expected = ['both-admin', 'both-buyer', 'every-admin', 'every-buyer', 'one-admin'];
    expect(outputs).toEqual(expected.map((name) => `${name}.csv`));
    expect(files['both-admin.csv']).toBe(files['one-admin.csv']);
    expect(files['both-buyer.csv']).toBe(files['every-buyer.csv']);
    expect(files['both-buyer.csv']).not.toBe(files['both-admin.csv']);
  });

  test('an output without {account} is reported with its line', async () => {
    const { run, cwd } = await serveStored();
    writeFileSync(join(cwd, 'adreport.yaml'), yaml);

    expectRefusal(
      await run('run clash'),
      2,
      'adreport.yaml:8: Cannot write several accounts to -o {report}.csv.',
    );
  });
});

describe('--account elsewhere', () => {
  const lines = [
    'whoami',
    'campaigns',
    'logout',
    'config set profile dsp',
    'login --token-stdin --base-url https://reports.example.com',
    'campaigns --local',
  ];

  test.each(lines)('accepts a single account: %s', async (line) => {
    for (const account of ['buyer,admin', 'all']) {
      const result = await runCli(`${line} --account ${account}`, { stdin: tokens.buyer });
      expectRefusal(result, 2, 'names several accounts.');
    }
  });

  test('fills in {account} in -o', async () => {
    const { run } = await serveStored();

    await run('campaigns --account admin -q -o {account}-campaigns.csv');
    await run(`run --account buyer ${oneDay} -o {account}.csv`);
    const id = (await run('report create --period yesterday --account buyer')).stdout.trim();
    await run(`status ${id} --wait --account buyer -q`);
    const { files } = await run(`download ${id} --account buyer -q -o {account}-{id}.csv`);

    expect(names(files)).toEqual([`admin-campaigns.csv`, `buyer-${id}.csv`, 'buyer.csv'].sort());
  });
});

test('--local has its own accounts', async () => {
  const some = await runCli(
    `run --local --account buyer,dsp --period 2026-11-09 --by DAILY -q -o {account}-{date}.csv`,
  );
  expect(some.exitCode).toBe(0);
  expect(names(some.files)).toEqual(['buyer-2026-11-09.csv', 'dsp-2026-11-09.csv']);

  const all = await runCli(
    `run --local --account all --period 2026-11-09 --by DAILY -q -o {account}.csv`,
  );
  expect(names(all.files)).toEqual(['admin.csv', 'awkward.csv', 'buyer.csv', 'dsp.csv']);

  const unknown = await runCli(`run --local --account buyer,other ${oneDay} -o {account}.csv`);
  expectRefusal(unknown, 2, 'The local server has no account “other”.');
});

test('update tells an account of --local from a stored account of the same name', async () => {
  const { run, creators, cwd } = await serveStored();
  for (const flags of ['-o data/{date}.csv', '--local -o local/{date}.csv']) {
    await run(`run --account admin ${twoDays} ${flags}`);
  }
  const before = creators().length;
  for (const folder of ['data', 'local']) rmSync(join(cwd, folder, '2026-11-09.csv'));
  expect(await run('update data local -q')).toMatchObject({ exitCode: 0 });
  expect(creators().slice(before)).toEqual(['admin']);
});
