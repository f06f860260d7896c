import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  breakdowns,
  filters,
  metrics,
  type Profile,
  type VocabularyEntry,
  vocabularyOf,
} from '../../src/contract/vocabulary.ts';
import { formatNames } from '../../src/output/formats/index.ts';
import { isInstalled, pathWithAdreport } from '../support/programs.ts';
import { openTerminal } from '../support/pty.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
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
  writeFileSync(
    join(config, 'settings.json'),
    JSON.stringify({ defaultAccount: 'main', accounts }),
    { mode: 0o600 },
  );
  return { cwd, env: { ADREPORT_CONFIG_DIR: config } };
}

/** What the program offers for the last word of a line; a blank behind it says that the next word follows. */
async function offered(line: string, { cwd, env } = furnish()): Promise<string[]> {
  const result = await runCli(['complete', `adreport ${line}`], { cwd, env });
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  return result.stdout.split('\n').slice(0, -1);
}

/** The names of entries of the vocabulary that a profile may use. */
function namesOf(profile: Profile, entries: readonly VocabularyEntry[]): string[] {
  const ownEntries = entries.filter(({ profiles }) => profiles.includes(profile));
  return ownEntries.map(({ name }) => name);
}

/** What `--metrics` takes: the metrics of a profile, and those that are computed from them. */
function metricNamesOf(profile: Profile): string[] {
  const derived = vocabularyOf(profile).derived.map(({ field }) => field);
  return [...namesOf(profile, metrics), ...derived];
}

const costs: readonly string[] = ['cpcEuro', 'cpcDollar', 'cplEuro', 'cpdEuro'];

describe('what is offered', () => {
  test('commands and flags, those of the commands above included, and none that is hidden', async () => {
    const commands = await offered('');

    expect(commands).toEqual(
      expect.arrayContaining(['run ', 'report ', 'doctor ', 'config ', 'local-server ']),
    );
    expect(commands).not.toContain('complete ');
    expect(await offered('local-server exec --')).toEqual(
      expect.arrayContaining(['--port ', '--json ']),
    );
  });

  test('behind a comma what the list does not hold yet', async () => {
    const values = await offered('run --by daily,campaign,');

    expect(values).not.toContain('daily,campaign,CAMPAIGN');
    expect(values).toContain('daily,campaign,OS');
  });

  /** Words that are complete: a blank follows each. */
  const whole = (...words: readonly string[]): string[] => words.map((word) => `${word} `);
  const startingWithC = namesOf('buyer', breakdowns).filter((name) => name.startsWith('C'));

  test.each([
    { line: 'run --metrics ', values: metricNamesOf('buyer') },
    { line: 'run --by ', values: namesOf('buyer', breakdowns) },
    { line: 'run --filter ', values: namesOf('buyer', filters).map((name) => `${name}=`) },
    { line: 'run --metrics clicks,cp', values: costs.map((name) => `clicks,${name}`) },
    { line: 'run --profile dsp --metrics ', values: metricNamesOf('dsp') },
    { line: 'run --profile=dsp --metrics ', values: metricNamesOf('dsp') },
    { line: 'run --by=OS,c', values: startingWithC.map((name) => `OS,${name}`) },
    { line: 'report ', values: whole('create', 'list') },
    { line: 'help exit', values: whole('exit-codes') },
    { line: 'help conf', values: whole('config') },
    { line: 'run --b', values: whole('--by', '--bom', '--base-url') },
    { line: 'run --format ', values: whole(...formatNames) },
    { line: 'run --profile ', values: whole('buyer', 'dsp') },
    { line: 'run --account ', values: whole('agency', 'main') },
    { line: 'run --split w', values: whole('week') },
    { line: 'run ', values: whole('weekly', 'nightly') },
    { line: 'run weekly n', values: whole('nightly') },
    { line: 'fields devicet', values: whole('DEVICETYPE', 'deviceTypeId') },
    { line: 'completion ', values: whole('bash', 'zsh', 'fish') },
    { line: 'completion zsh b', values: [] },
    { line: 'config set account agency --acc', values: whole('--account') },
    // Files are the shell's own to offer.
    { line: 'run -o ', values: [] },
    { line: 'local-server validate ', values: [] },
    { line: 'local-server exec -- ', values: [] },
    { line: 'view ', values: [] },
  ])('$line → $values', async ({ line, values }) => {
    expect(await offered(line)).toEqual(values);
  });
});

describe('a person is in the middle of a line', () => {
  test('nothing that is wrong is said, and nothing mended', async () => {
    const place = furnish();
    writeFileSync(join(place.cwd, 'adreport.yaml'), 'reports: [');
    writeFileSync(join(place.cwd, '.config', 'settings.json'), '{');

    for (const line of ['run ', 'run --account ', 'nonsense --nothing --by']) {
      expect(await offered(line, place)).toEqual([]);
    }
  });

  test('the service is not asked', async () => {
    const { server, run } = await serveForTest();

    for (const words of ['run ', 'status ', 'run --campaign ', 'run --filter campaignId=']) {
      expect(await run(['complete', `adreport ${words}`])).toMatchObject({ exitCode: 0 });
    }
    expect(server.requests()).toEqual([]);
  });

  test('no name is offered that a shell could run', async () => {
    const place = furnish();
    const names = ['x$(touch gone)', 'x`y`', 'a b', 'a;b', 'a"y', 'fine-name', 'été'];
    const reports = names.map((name) => `  ${JSON.stringify(name)}: { period: today }\n`);
    writeFileSync(join(place.cwd, 'adreport.yaml'), `reports:\n${reports.join('')}`);

    expect(await offered('run ', place)).toEqual(['fine-name ', 'été ']);
    // Within a quote a blank would belong to the name.
    expect(await offered('run "fi', place)).toEqual(['fine-name']);
  });
});

/** Command lines that are cut short, and the line that the shell is to make of them. */
const lines = [
  { typed: 'run --per', completed: 'run --period' },
  { typed: 'run --by DAILY,CAMP', completed: 'run --by DAILY,CAMPAIGN' },
  { typed: 'run --filter coun', completed: 'run --filter countryId=' },
  { typed: 'run wee', completed: 'run weekly' },
  { typed: 'run --by=DAILY,CAMP', completed: 'run --by=DAILY,CAMPAIGN' },
  { typed: 'run --filter=cou', completed: 'run --filter=countryId=' },
  { typed: 'run --format=nd', completed: 'run --format=ndjson' },
  { typed: 'run -o outc', completed: 'run -o outcome.csv' },
];

/** Shells in which a person has set completion up, without settings of the machine's own. */
const shells = [
  {
    shell: 'bash',
    args: ['--norc', '--noprofile', '-i'],
    setUp: 'source <(adreport completion bash)',
  },
  {
    shell: 'zsh',
    args: ['-f', '-i'],
    setUp:
      'bindkey -e; autoload -U compinit; compinit -u -d zcompdump; source <(adreport completion zsh)',
  },
];

test.for(shells)('in a real $shell', async ({ shell, args, setUp }, { skip }) => {
  if (!isInstalled(shell)) skip(`there is no ${shell} here`);
  const { cwd, env } = furnish();
  const terminal = openTerminal(shell, args, {
    cwd,
    columns: 200,
    env: { ...env, PATH: pathWithAdreport(), HOME: cwd, INPUTRC: '/dev/null', PS1: 'ready> ' },
  });
  terminal.type(`${setUp}; echo set-up''-done\r`);

  await terminal.waitFor('set-up-done');

  // Types each line and a tab, then has the shell print the words of the line that this led to.
  for (const { typed, completed } of lines) {
    terminal.type(`adreport ${typed}\t\u0001printf '<%s>' \u0005 end-of-line\r`);
    await terminal.waitFor(/<end-of-line>/);

    const printed = terminal.output.slice(terminal.output.lastIndexOf('<adreport>'));
    const words = [...printed.matchAll(/<([^>]*)>/g)].map(([, word]) => word);
    expect(words.join(' ')).toBe(`adreport ${completed} end-of-line`);
  }
});

test('another shell is refused, with those that are known', async () => {
  expectRefusal(await runCli('completion tcsh'), 2, 'bash, zsh, fish');
});
