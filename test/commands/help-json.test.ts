import { describe, expect, test } from 'vitest';
import type { ContextOptions } from '../../src/context.ts';
import { exitCodes, UsageError } from '../../src/errors.ts';
import { topics } from '../../src/help/index.ts';
import { createProgram } from '../../src/program.ts';
import { allCommands, pathOf, program } from '../support/program.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';

/** A flag in `adreport help COMMAND --json`. */
interface Flag {
  readonly flag: string;
  readonly short: string | null;
  readonly value: string | null;
  readonly valueOptional: boolean;
  readonly choices: readonly string[] | null;
  readonly default: string | number | null;
  readonly environment: string | null;
  readonly repeatable: boolean;
  readonly required: boolean;
  readonly conflicts: readonly string[];
  readonly description: string;
  readonly group: string;
  readonly rare: boolean;
  readonly declaredBy: string;
}

interface Argument {
  readonly argument: string;
  readonly required: boolean;
  readonly repeatable: boolean;
  readonly choices: readonly string[] | null;
}

interface Facts {
  readonly command: string;
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  readonly flags: readonly Flag[];
  readonly examples: readonly { readonly line: string; readonly description: string }[];
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly exitCodes: readonly { readonly code: number; readonly meaning: string }[];
}

async function readFacts(path: string): Promise<Facts> {
  const { exitCode, stdout, stderr } = await runCli(`help ${path} --json`);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** A text as one line. */
const joined = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** The result of parsing a command line: its options, or a refusal. */
type Parsed = { readonly options: ContextOptions } | { readonly refusal: string };

/** Parses a command line without running it. */
async function parse(argv: readonly string[]): Promise<Parsed> {
  let options: ContextOptions | undefined;
  const perform = async (parsed: ContextOptions): Promise<void> => {
    options = parsed;
  };
  const parser = createProgram(perform, { write: () => {}, width: 100, platform: 'linux' }, argv);

  try {
    await parser.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof UsageError) return { refusal: error.message };
    throw error;
  }
  return options ? { options } : { refusal: 'no action' };
}

/** A valid value for a flag. */
function sampleOf({ value, choices, default: usual }: Flag): string {
  const samples: Readonly<Record<string, string>> = {
    duration: '1s',
    period: '2026-10',
    time: '2026-11-01T09:00:00Z',
    'name=v1,v2': 'os=1',
  };
  const sample = samples[value ?? ''] ?? '1';
  return choices?.[0] ?? String(usual ?? sample);
}

/** A flag as typed, with its value if it has one. */
function typed(flag: Flag): string[] {
  return flag.value === null ? [flag.flag] : [flag.flag, sampleOf(flag)];
}

/** The required arguments and flags of a command. */
function neededWords({ arguments: args, flags }: Facts): string[] {
  const words: string[] = [];
  for (const flag of flags) if (flag.required) words.push(...typed(flag));
  for (const { required, choices } of args) if (required) words.push(choices?.[0] ?? 'x');
  return words;
}

/** True if a command only shows help; local-server has its own action. */
function isGroup({ command, commands }: Facts): boolean {
  return commands.length > 0 && command !== 'adreport local-server';
}

/** True if a flag does not replace the action of its command, as help and version do. */
function isForAction({ flag }: Flag): boolean {
  return flag !== '--help-all' && flag !== '--version';
}

const commands = allCommands().filter((command) => command !== program);

describe.each(commands.map((command) => [pathOf(command), command] as const))(
  'help %s --json',
  (path, command) => {
    test('has the contents of --help', async () => {
      const facts = await readFacts(path);
      const flag = command.options.some(({ long }) => long === '--help-all')
        ? '--help-all'
        : '--help';
      const { stdout } = await runCli(`${path} ${flag}`, {
        platform: 'linux',
        env: { COLUMNS: '200' },
      });
      const page = joined(stdout);

      expect(page).toContain(`Usage: ${facts.usage} `);
      expect(page).toContain(joined(facts.description));
      for (const { line, description } of facts.examples) {
        expect(page).toContain(joined(line));
        expect(page).toContain(`# ${description}`);
      }
      for (const { name, summary } of facts.commands) expect(page).toContain(`${name} ${summary}`);
      expect(facts.exitCodes.map(({ code, meaning }) => [code, meaning])).toEqual(exitCodes);

      const shown = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name);
      const isOfProgram = (each: Flag): boolean => each.declaredBy === 'adreport';
      // --help-all does not list itself.
      const isShown = (each: Flag): boolean => !isOfProgram(each) && each.flag !== '--help-all';
      const own = facts.flags.filter(isShown);
      expect(own.map((each) => each.flag).sort()).toEqual(
        shown.filter((name) => name !== '--help').sort(),
      );
      for (const each of own) {
        const { short, value, description, group, choices } = each;
        const brackets = each.valueOptional ? `[${value}]` : `<${value}>`;
        const term = [short && `${short},`, each.flag, value && brackets].filter(Boolean).join(' ');
        expect(page).toContain(`${term} ${description}`);
        if (choices) expect(page).toContain(choices.join(', '));
        if (each.declaredBy === facts.command) expect(stdout).toContain(`\n${group}:\n`);
      }
    });

    test('lists exactly the flags that the parser accepts', async () => {
      const facts = await readFacts(path);
      if (isGroup(facts)) return;
      const words = [...path.split(' '), ...neededWords(facts)];

      for (const each of facts.flags.filter(isForAction)) {
        const { flag, value, valueOptional } = each;
        expect(await parse([...words, ...typed(each)]), flag).toHaveProperty('options');
        if (value === null || valueOptional) continue;

        const withoutValue = { refusal: `${flag} needs a value.` };
        expect(await parse([...words, flag]), flag).toEqual(withoutValue);
      }
      expect(await parse([...words, '--no-such-flag'])).toEqual({
        refusal: 'There is no flag --no-such-flag.',
      });
    });

    test('has choices, default and conflicts of a flag', async () => {
      const facts = await readFacts(path);
      if (isGroup(facts)) return;
      const words = [...path.split(' '), ...neededWords(facts)];
      const plain = await parse(words);

      for (const each of facts.flags.filter(isForAction)) {
        const { flag, choices, default: usual } = each;
        if (usual !== null) {
          expect(await parse([...words, flag, String(usual)]), flag).toEqual(plain);
        }

        for (const choice of choices ?? []) {
          expect(await parse([...words, flag, choice]), flag).toHaveProperty('options');
        }
        if (choices) {
          const refusal = expect.stringMatching(`^${flag} “no-such-word”: .*Allowed choices`);
          expect(await parse([...words, flag, 'no-such-word']), flag).toEqual({ refusal });
        }

        for (const name of each.conflicts) {
          const other = facts.flags.filter((one) => one.flag === name).flatMap(typed);
          const refusal = `${flag} cannot be used with ${name}.`;
          expect(await parse([...words, ...typed(each), ...other]), flag).toEqual({ refusal });
        }
      }
    });

    test('marks repeatable flags; for others the last value counts', async () => {
      const facts = await readFacts(path);
      if (isGroup(facts)) return;
      const words = [...path.split(' '), ...neededWords(facts)];

      for (const each of facts.flags.filter(isForAction)) {
        const once = await parse([...words, ...typed(each)]);
        const twice = await parse([...words, ...typed(each), ...typed(each)]);

        const isMore = JSON.stringify(once) !== JSON.stringify(twice);
        expect(isMore, each.flag).toBe(each.repeatable);
      }
    });

    test('marks required arguments', async () => {
      const facts = await readFacts(path);
      if (isGroup(facts)) return;
      const words = path.split(' ');
      const isNeeded = neededWords(facts).length > 0;

      const parsed = await parse(words);

      if (!isNeeded) expect(parsed).toHaveProperty('options');
      else
        expect(parsed).toHaveProperty('refusal', expect.stringMatching(/is missing|is required/));
    });
  },
);

describe('help --json', () => {
  test('lists every command with subcommands, and every topic', async () => {
    const { exitCode, stdout } = await runCli('help --json');
    const facts = JSON.parse(stdout);

    expect(exitCode).toBe(0);
    expect(facts.version).toMatch(/^\d+\.\d+\.\d+$/);
    const listed: Facts['commands'] = facts.commands;
    const paths = commands.map(pathOf).filter((path) => path !== 'complete');
    expect(listed.map(({ name }) => name).sort()).toEqual(paths.sort());
    const names: Facts['commands'] = facts.topics;
    expect(names.map(({ name }) => name)).toEqual(Object.keys(topics));

    const page = joined((await runCli('help', { env: { COLUMNS: '200' } })).stdout);
    expect(page).toContain(`Usage: ${facts.usage} `);
    const list = joined((await runCli('help topics', { env: { COLUMNS: '200' } })).stdout);
    for (const { name, summary } of names) expect(list).toContain(`${name} ${summary}`);
  });

  test('has the environment variables of flags', async () => {
    const { flags } = await readFacts('doctor');
    const variables = flags.flatMap(({ flag, environment }) => (environment ? [flag] : []));

    expect(variables).toEqual(['--account', '--base-url', '--profile']);
    for (const { environment } of flags) {
      if (environment) expect(topics.settings).toContain(`\`${environment}\``);
    }
  });

  test('of a topic is its Markdown; of an unknown word exit 2', async () => {
    const { stdout } = await runCli('help folders --json');

    expect(JSON.parse(stdout)).toMatchObject({ topic: 'folders', text: topics.folders });
    expectRefusal(await runCli('help cornn --json'), 2, 'no topic “cornn”');
  });
});
