import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { findEntry, settingKeys } from '../src/account/settings.ts';
import { endpointNames } from '../src/contract/messages.ts';
import { readSections, topics } from '../src/help/index.ts';
import { placeholders } from '../src/query/file-name.ts';
import { formatNames } from '../src/query/format-names.ts';
import { periodNames } from '../src/query/period.ts';
import { faultKinds } from '../src/server/faults/kinds.ts';
import { allCommands, program } from './support/program.ts';

/**
 * The README and the help topics are correct: everything they name exists, and nothing is missing.
 */

const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const documents = [
  ['README.md', readme],
  ...Object.entries(topics).map(([name, text]) => [`src/help/${name}.md`, text]),
];
const everything = documents.map(([, text]) => text).join('\n');

/** The source, by file. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(root, 'src', file), 'utf8'));

/**
 * The first column of a topic's table, whose header begins with this word, without the marks of
 * code.
 */
function firstColumn(topic: string, header: string): string[] {
  const table =
    new RegExp(`^\\| ${header} .*\\n\\|[- |]+\\n((?:\\|.*\\n)+)`, 'm').exec(
      `${topics[topic]}\n`,
    )?.[1] ?? '';
  return table
    .trim()
    .split('\n')
    .map((row) => row.split(' | ')[0]?.replace(/^\| /, '').replaceAll('`', '').trim() ?? '');
}

function sectionOf(topic: string, heading: string): string {
  const sections = readSections(topics[topic] ?? '');
  return sections.find((section) => section.heading === heading)?.text ?? '';
}

/** The command lines of the code blocks. */
const lines = [...everything.matchAll(/```(?:sh|console|crontab)\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, '').split(/\n|&&|\|\||\||\$\(|\)(?= &&)/),
  )
  .map((line) =>
    /(?:^|\s|node bin\/)adreport(?:\.js)? (?<rest>[^#]*)/.exec(line)?.groups?.rest?.trim(),
  )
  .filter((line) => line !== undefined && line !== '');

test('each topic has a title', () => {
  for (const text of Object.values(topics)) expect(text).toMatch(/^# \S.*: \S.{10,}\n/);
  const files = readdirSync(join(root, 'src/help')).filter((file) => file.endsWith('.md'));
  expect(
    Object.keys(topics)
      .map((name) => `${name}.md`)
      .sort(),
  ).toEqual(files.sort());
});

/** Counts as `wc -w` does. */
const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;

test('there are eight topics, each of at most 600 words', () => {
  expect(Object.keys(topics)).toHaveLength(8);
  const tooLong = Object.entries(topics).filter(([, text]) => countWords(text) > 600);
  expect(tooLong.map(([name]) => name)).toEqual([]);
});

test('README.md and CONTRIBUTING.md have at most 700 words', () => {
  expect(countWords(readme)).toBeLessThanOrEqual(700);
  expect(countWords(contributing)).toBeLessThanOrEqual(700);
});

test('each topic begins with a command', () => {
  for (const [name, text] of Object.entries(topics)) {
    expect(text, name).toMatch(/^# .*\n\n```sh\nadreport /);
  }
});

test.each(documents)('%s: every link has a target', (file = '', text = '') => {
  const links = [...text.matchAll(/\]\(([^)#]+)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !link.startsWith('http'));
  const broken = links.filter((link) => !existsSync(resolve(root, dirname(file), link)));
  expect(broken).toEqual([]);
});

test('the README installs the package of this version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = [...readme.matchAll(/adreport-(\d+\.\d+\.\d+)\.tgz/g)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set([version]));
});

test('the README names every topic', () => {
  const missing = Object.keys(topics).filter((name) => !readme.includes(`adreport help ${name}\``));
  expect(missing).toEqual([]);
});

test('every code block names its language', () => {
  const languagesIn = (text: string): string[] => {
    const fences = [...text.matchAll(/^ *(?:```|~~~)(.*)$/gm)].map(([, word = '']) => word);
    // Every other one closes a block.
    return fences.filter((_word, index) => index % 2 === 0);
  };

  // long/printed-lines.test.ts runs lines, long/recipes.test.ts names the test of any other block,
  // and long/one-file.test.ts runs those of CONTRIBUTING.md in TypeScript.
  expect(languagesIn(everything).filter((language) => !/^\w+$/.test(language))).toEqual([]);
  expect(new Set(languagesIn(readme))).toEqual(new Set(['sh']));
  expect(new Set(languagesIn(contributing))).toEqual(new Set(['sh', 'ts']));
});

test('every script of npm that a document names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const matches = `${everything}${contributing}`.matchAll(/npm run ([a-z:]+)/g);
  const named = [...matches].map(([, name = '']) => name);

  expect(named).toEqual(expect.arrayContaining(['check', 'test:long', 'bench']));
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});

test('every help page named in documents, help and errors exists', () => {
  const named = [everything, ...sources].flatMap((text) =>
    [...text.matchAll(/adreport help ([a-z][a-z-]*)/g)].map(([, name = '']) => name),
  );
  expect(named).toEqual(expect.arrayContaining(['settings', 'cron']));
  const commands = program.commands.map((command) => command.name());
  const isKnown = (name: string) =>
    commands.includes(name) ||
    Object.hasOwn(topics, name) ||
    Object.values(topics).some((text) => text.toLowerCase().includes(name));
  expect(named.filter((name) => !isKnown(name))).toEqual([]);
});

test('every file and folder that CONTRIBUTING.md names exists', () => {
  const named = contributing.matchAll(/`([\w.-]+\/[\w./-]*|[\w-]+\.(?:ts|md|yaml))`/g);
  const paths = [...named].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(30);

  const isHere = (path: string): boolean =>
    existsSync(join(root, path)) || existsSync(join(root, 'src', path));
  expect(paths.filter((path) => !isHere(path))).toEqual([]);
});

test.each(lines)('adreport %s: its flags exist', (line = '') => {
  const words = line.split(' -- ')[0]?.split(/\s+/) ?? [];
  let command: Command = program;
  for (const word of words) {
    const child = command.commands.find((candidate) => candidate.name() === word);
    if (!child) break;
    command = child as Command;
  }
  expect(command).not.toBe(program);
  const known = [command, command.parent, program].flatMap((each) => each?.options ?? []);
  const flags = words.filter((word) => /^--?[a-z]/i.test(word) && !/^-(\d|vv$)/.test(word));
  expect(
    flags.filter((flag) => !known.some((option) => option.long === flag || option.short === flag)),
  ).toEqual([]);
});

test('every flag named in a document exists', () => {
  const options = allCommands().flatMap((command) => command.options);
  const declared = options.map(({ long }) => long ?? '');
  const ofCommander = ['--help', '--version', '--no-color'];

  // Code that begins with the name of another program has other flags.
  const ownFlag = /`(?:(?:adreport|-)[^`\n]*?)??(--[a-z][a-z-]+)/g;
  const matches = [...everything.matchAll(ownFlag)];
  const flags = matches.map(([, flag = '']) => flag);

  expect(flags.filter((flag) => ![...declared, ...ofCommander].includes(flag))).toEqual([]);
});

describe('facts that the code defines', () => {
  test('formats, placeholders and periods', () => {
    expect(firstColumn('formats', 'format').sort()).toEqual([...formatNames].sort());

    const named = [...(topics.formats ?? '').matchAll(/`\{(\w+)\}`/g)].map(([, name]) => name);
    expect(named.sort()).toEqual([...placeholders].sort());

    const periods = firstColumn('reports', 'period').flatMap((cell) => cell.split(', '));
    expect(periods).toEqual(expect.arrayContaining([...periodNames]));
  });

  test('endpoints and kinds of faults', () => {
    const text = sectionOf('testing', 'Faults');
    for (const endpoint of endpointNames) expect(text).toContain(`\`${endpoint}\``);

    const cells = firstColumn('testing', 'kind').flatMap((cell) => cell.split(', '));
    const kinds = cells.map((cell) => cell.replace('503', 'status').replace(/:.*/, ''));
    expect(kinds.sort()).toEqual(Object.keys(faultKinds).sort());
  });

  test('every environment variable that the program reads', () => {
    const read = [...sources.join('\n').matchAll(/\benv\.([A-Z][A-Z_]{3,})\b/g)].map(
      ([, name]) => name,
    );
    const settings = settingKeys.flatMap((key) => findEntry(key).variable ?? []);
    // Variables of the platform, for folders and the terminal.
    const others =
      'APPDATA HOME PATH XDG_CONFIG_HOME TERM LANG WT_SESSION TERM_PROGRAM LC_ALL LC_CTYPE'.split(
        ' ',
      );
    // Node reads this one.
    const ours = new Set([
      'NODE_EXTRA_CA_CERTS',
      ...settings,
      ...read.filter((name = '') => !others.includes(name)),
    ]);
    expect(firstColumn('settings', 'variable').sort()).toEqual([...ours].sort());
  });
});
