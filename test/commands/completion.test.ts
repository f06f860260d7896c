import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { breakdowns, filters, metrics } from '../../src/contract/vocabulary.ts';
import { formatNames } from '../../src/output/formats/index.ts';
import { isInstalled, pathWithAdreport } from '../support/path.ts';
import { openTerminal } from '../support/pty.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** A folder with saved reports, stored accounts, and files to be named on command lines. */
function furnish(): { cwd: string; env: Record<string, string> } {
  const cwd = temporaryFolder();
  const config = join(cwd, '.config');
  mkdirSync(config, { mode: 0o700 });
  mkdirSync(join(cwd, 'data-folder'));
  writeFileSync(join(cwd, 'outcome.csv'), '');
  writeFileSync(
    join(cwd, 'adreport.yaml'),
    'reports:\n  weekly: { period: last-week, by: DAILY }\n  nightly: { period: yesterday }\n',
  );
  const accounts = {
    agency: { baseUrl: 'https://dsp.example.com', profile: 'dsp', token: 'hush-hush-hush' },
    main: { baseUrl: 'https://reports.example.com' },
  };
  writeFileSync(join(config, 'settings.json'), JSON.stringify({ defaultAccount: 'main', accounts }), { mode: 0o600 });
  return { cwd, env: { ADREPORT_CONFIG_DIR: config } };
}

/** What the program offers for the last word: the kind, then the values. */
async function offered(words: readonly string[], { cwd, env } = furnish(), shell = 'fish') {
  const result = await runCli(['complete', shell, '--', ...words], { cwd, env });
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  const [kind, ...lines] = result.stdout.replace(/\n$/, '').split('\n');
  return { kind, values: lines.map((line) => line.split('\t')[0]), lines };
}

const buyer = (list: readonly { name: string; profiles: readonly string[] }[]) =>
  list.filter(({ profiles }) => profiles.includes('buyer')).map(({ name }) => name);

describe('what is offered', () => {
  test('commands, and topics for help', async () => {
    const { values } = await offered(['']);
    expect(values).toEqual(expect.arrayContaining(['run', 'report', 'doctor', 'config', 'local-server']));
    expect(values).not.toContain('complete');
    expect((await offered(['report', ''])).values).toEqual(['create', 'list']);
    expect((await offered(['help', 'exit'])).values).toEqual(['exit-codes']);
    expect((await offered(['help', 'report', 'l'])).values).toEqual(['list']);
  });

  test('flags, those of the commands above included, and none that is hidden', async () => {
    const { values } = await offered(['local-server', 'exec', '--']);
    expect(values).toEqual(expect.arrayContaining(['--port', '--json']));
    const run = (await offered(['run', '--b'])).values;
    expect(run).toEqual(['--by', '--bom', '--base-url']);
  });

  test('every metric, breakdown and filter, by the profile', async () => {
    const all = await offered(['run', '--metrics', '']);
    expect(all).toMatchObject({ kind: 'open', values: buyer(metrics) });
    expect((await offered(['run', '--by', ''])).values).toEqual(buyer(breakdowns));
    expect((await offered(['run', '--filter', ''])).values).toEqual(buyer(filters).map((name) => `${name}=`));
    for (const flags of [['--profile', 'dsp'], ['--account', 'agency'], ['--profile=dsp']]) {
      expect((await offered(['run', ...flags, '--metrics', ''])).values).toEqual([
        'displays',
        'revenueEuro',
        'revenueDollar',
      ]);
    }
  });

  test('behind a comma what the list does not hold yet', async () => {
    const { values } = await offered(['run', '--by', 'daily,campaign,']);
    expect(values).not.toContain('daily,campaign,CAMPAIGN');
    expect(values).toContain('daily,campaign,OS');
    expect((await offered(['run', '--by=OS,c'])).values).toEqual([
      '--by=OS,CAMPAIGN',
      '--by=OS,CREATIVE',
      '--by=OS,COUNTRY',
      '--by=OS,CITY',
      '--by=OS,CARRIER',
    ]);
  });

  test.each([
    [['run', '--format', ''], formatNames],
    [
      ['run', '--profile', ''],
      ['buyer', 'dsp'],
    ],
    [
      ['run', '--account', ''],
      ['agency', 'main'],
    ],
    [['run', '--split', 'w'], ['week']],
    [
      ['run', ''],
      ['weekly', 'nightly'],
    ],
    [['run', 'weekly', 'n'], ['nightly']],
    [
      ['fields', 'devicet'],
      ['DEVICETYPE', 'deviceTypeId'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['config', 'set', 'account', 'agency', '--acc'], ['--account']],
    [['completion', 'zsh', 'b'], []],
    [['help', 'report', 'list', 'l'], []],
  ])('%j → %j', async (words, values) => {
    expect((await offered(words)).values).toEqual(values);
  });

  test.each([
    ['run', '-o', 'x'],
    ['local-server', 'validate', ''],
    ['local-server', 'exec', '--', ''],
    ['view', 'x'],
  ])('files are the shell’s own: %s %s', async (...words) => {
    expect((await offered(words)).kind).toBe('files');
  });
});

describe('a person is in the middle of a line', () => {
  test('nothing that is wrong is said, and nothing mended', async () => {
    const place = furnish();
    writeFileSync(join(place.cwd, 'adreport.yaml'), 'reports: [');
    writeFileSync(join(place.cwd, '.config', 'settings.json'), '{');
    expect((await offered(['run', ''], place)).values).toEqual([]);
    expect((await offered(['run', '--account', ''], place)).values).toEqual([]);
    expect((await offered(['nonsense', '--nothing', '--by'], place)).kind).toBe('words');
    expect((await offered([], place)).kind).toBe('words');
  });

  test('the service is not asked, and no secret shown', async () => {
    const { server, run } = await serveForTest();
    for (const words of [
      ['run', ''],
      ['status', ''],
      ['run', '--campaign', ''],
      ['run', '--filter', 'campaignId='],
    ]) {
      const { exitCode, stdout } = await run(['complete', 'zsh', '--', ...words]);
      expect(exitCode).toBe(0);
      expect(stdout).not.toContain('hush-hush');
    }
    expect(server.requests()).toEqual([]);
  });
});

describe('for bash, which puts in what it is given', () => {
  test('no name that it could run', async () => {
    const place = furnish();
    const names = ['x$(touch gone)', 'x`y`', 'a b', 'a;b', 'a"y', 'fine-name', 'été'];
    const reports = names.map((name) => `  ${JSON.stringify(name)}: { period: today }\n`);
    writeFileSync(join(place.cwd, 'adreport.yaml'), `reports:\n${reports.join('')}`);
    expect((await offered(['run', ''], place, 'bash')).values).toEqual(['fine-name ', 'été ']);
    // Within a quote a blank would belong to the name.
    expect((await offered(['run', '"fi'], place, 'bash')).values).toEqual(['fine-name']);
  });

  test('what stands before a word break is not put in again', async () => {
    const inBash = async (word: string) => (await offered(['run', word], furnish(), 'bash')).values;
    expect(await inBash('--format=nd')).toEqual(['ndjson ']);
    expect(await inBash('--filter=cou')).toEqual(['countryId=']);
    expect(await inBash('--by=DAILY,CAMP')).toEqual(['DAILY,CAMPAIGN']);
  });
});

/** Command lines that are cut short, and the words that the shell is to make of them. */
const lines: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['adreport ru', ['run']],
  ['adreport run --per', ['run', '--period']],
  ['adreport run --by DAILY,CAMP', ['run', '--by', 'DAILY,CAMPAIGN']],
  ['adreport run --by=COU', ['run', '--by=COUNTRY']],
  ['adreport run --metrics displays,cl', ['run', '--metrics', 'displays,clicks']],
  ['adreport run --filter coun', ['run', '--filter', 'countryId=']],
  ['adreport run wee', ['run', 'weekly']],
  ['adreport run -o outc', ['run', '-o', 'outcome.csv']],
  ['adreport local-server export data-f', ['local-server', 'export', 'data-folder']],
];

describe('in the real shells', () => {
  /** Types each line and a tab, then has the shell print the words of the line that this led to. */
  async function typeInto(shell: string, args: readonly string[], setUp: string): Promise<string[][]> {
    const { cwd, env } = furnish();
    const terminal = openTerminal(shell, args, {
      cwd,
      columns: 200,
      env: { ...env, PATH: pathWithAdreport(), HOME: cwd, INPUTRC: '/dev/null', PS1: 'ready> ' },
    });
    onTestFinished(() => terminal.close());
    terminal.type(`${setUp}; echo set-up''-done\r`);
    await terminal.waitFor('set-up-done');
    const found: string[][] = [];
    for (const [line] of lines) {
      terminal.type(`${line}\t\u0001printf '<%s>' \u0005 end-of-line\r`);
      await terminal.waitFor(/<end-of-line>/);
      const printed = terminal.output.slice(terminal.output.lastIndexOf('<adreport>'));
      found.push([...printed.matchAll(/<([^>]*)>/g)].map(([, word = '']) => word.replace(/\/$/, '')).slice(1, -1));
    }
    return found;
  }

  const expected = lines.map(([, words]) => words);

  test('bash', async ({ skip }) => {
    if (!isInstalled('bash')) skip('there is no bash here');
    expect(await typeInto('bash', ['--norc', '--noprofile', '-i'], 'source <(adreport completion bash)')).toEqual(
      expected,
    );
  });

  test('zsh', async ({ skip }) => {
    if (!isInstalled('zsh')) skip('there is no zsh here');
    const setUp = 'bindkey -e; autoload -U compinit; compinit -u -d zcompdump; source <(adreport completion zsh)';
    expect(await typeInto('zsh', ['-f', '-i'], setUp)).toEqual(expected);
  });
});

test('another shell is refused, with those that are known', async () => {
  expect(await runCli(['completion', 'tcsh'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('bash, zsh, fish'),
  });
});
