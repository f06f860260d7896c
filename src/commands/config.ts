import { tableLook } from '../app/deliver.ts';
import { addFlags } from '../app/flags.ts';
import { readProjectDefaults } from '../config/project-file.ts';
import {
  changeSetting,
  findSettingName,
  nameSettings,
  resolveAccount,
} from '../config/settings.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { textTable } from '../output/table/table-layout.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

type ConfigOptions = { readonly account?: string };

const account = ['--account <name>', 'the stored account (default: the default one)'] as const;
const local = ['--local', 'the settings of the local server inside this process'] as const;

export const configCommand: CommandBuilder = (perform) => {
  const list = declareCommand('list', 'every setting, with its value and where that came from', [
    ['adreport config list', 'a table; secrets are masked'],
    ['adreport config list --json --local', 'for programs'],
  ]);
  const get = declareCommand('get <name>', 'the value of a setting, alone', [
    ['adreport config get base-url', 'prints the value alone; nothing where there is none'],
    ['adreport config get profile --local', 'without an account'],
  ]);
  const set = declareCommand(
    'set <name> <value>',
    'store a setting of an account, or which account is the default',
    [
      ['adreport config set base-url https://reports.example.com', 'of the default account'],
      ['adreport config set profile dsp', 'its profile'],
      [
        'adreport config set base-url https://dsp.example.com --account agency',
        'of another account',
      ],
      ['adreport config set account agency', 'which account is the default'],
    ],
  );
  const unset = declareCommand('unset <name>', 'take back what is stored', [
    ['adreport config unset profile', 'back to buyer'],
    ['adreport config unset base-url --account agency', 'forgets the account'],
  ]);
  const path = declareCommand('path', 'the file in which settings are stored', [
    ['adreport config path', 'whether it is there or not'],
    ['ls -l "$(dirname "$(adreport config path)")"', 'the folder, with the ledger'],
  ]);
  return declareCommand(
    'config',
    'the settings, where each comes from, and what is stored of them',
    [
      ['adreport config list', 'every setting, and where it came from'],
      ['adreport config set base-url https://reports.example.com', 'stores one'],
    ],
  )
    .addCommand(addFlags(list, 'Options:', [account, local]).action(perform(listConfig)))
    .addCommand(addFlags(get, 'Options:', [account, local]).action(perform(getConfig)))
    .addCommand(addFlags(set, 'Options:', [account]).action(perform(changeConfig)))
    .addCommand(addFlags(unset, 'Options:', [account]).action(perform(changeConfig)))
    .addCommand(path.action(perform(printConfigPath)));
};

/** Prints every setting with its source, secrets masked; with `--json` an array of `{name, source, from, value}`. */
async function listConfig(context: Context, _options: ConfigOptions): Promise<void> {
  const settings = nameSettings(await context.settings());
  if (context.flags.json) {
    const rows = settings.map(({ value, ...rest }) => ({ ...rest, value: value ?? null }));
    return context.console.result(visibleJson(rows));
  }
  type Row = (typeof settings)[number];
  const columns = [
    { name: 'setting', value: (row: Row) => row.name, keep: true },
    { name: 'value', value: (row: Row) => row.value, keep: true },
    { name: 'from', value: (row: Row) => (row.value === undefined ? 'not set' : row.from) },
  ];
  await context.console.write(textTable(settings, columns, tableLook(context)));
}

/** Prints a setting's value alone, a secret masked; where there is none, a note on stderr (`null` with `--json`). */
async function getConfig(context: Context, _options: ConfigOptions, text: string): Promise<void> {
  const name = findSettingName(text);
  const found = nameSettings(await context.settings()).find((each) => each.name === name);
  if (context.flags.json) return context.console.result(visibleJson(found?.value ?? null));
  if (found?.value !== undefined) return context.console.result(printable(found.value));
  context.console.note(`${name} is not set.`);
}

/** Stores or takes back a setting. No other is looked at: a base URL that is wrong must not keep anyone from mending it. */
async function changeConfig(
  context: Context,
  options: ConfigOptions,
  name: string,
  value?: string,
): Promise<void> {
  if (name === 'account' && value !== undefined && options.account !== undefined) {
    const hint = `Leave it out: adreport config set account ${value}`;
    throw new UsageError(
      '--account names the account that is changed, and this chooses the default one.',
      { hint },
    );
  }
  const { env, cwd } = context.host;
  const projectFile = await readProjectDefaults(cwd, context.console.warn);
  let said = '';
  await context.store().update((stored) => {
    const account = resolveAccount({ flags: options, env, projectFile, stored });
    const changed = changeSetting(stored, account.value, name, value);
    said = changed.said;
    return changed.settings;
  });
  context.console.note(said);
}

async function printConfigPath(context: Context, _options: ConfigOptions): Promise<void> {
  const { path } = context.store();
  await context.console.result(context.flags.json ? JSON.stringify(path) : path);
}
