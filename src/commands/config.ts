import { changeSetting, findSettingName } from '../account/change-setting.ts';
import { nameSettings } from '../account/resolve.ts';
import { settingTable } from '../account/settings.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { textTable } from '../present/terminal/table-layout.ts';
import { flagGroup } from '../query/flags/flag.ts';
import { tableLook } from '../run/deliver.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { declareCommand } from './command.ts';

const account = {
  flags: settingTable.account.flag,
  meaning: 'stored account (default: the default account)',
} as const;
const accountFlags = flagGroup('Flags:', { account });
const readFlags = flagGroup('Flags:', {
  account,
  local: { flags: '--local', meaning: 'the settings of the local server inside this process' },
});

const listCommand = declareCommand({
  name: 'list',
  summary: 'list every setting with its value and source',
  examples: [
    ['adreport config list', 'a table; secrets are masked'],
    ['adreport config list --json --local', 'for programs'],
  ],
  flags: [readFlags],
  async action({ context }) {
    await listConfig(context);
    return 0;
  },
});

const getCommand = declareCommand({
  name: 'get',
  args: ['<name>'],
  summary: 'print the value of one setting',
  examples: [
    ['adreport config get base-url', 'prints the value only, or nothing'],
    ['adreport config get profile --local', 'without an account'],
  ],
  flags: [readFlags],
  async action({ context, args: [name] }) {
    await getConfig(context, name);
    return 0;
  },
});

const setCommand = declareCommand({
  name: 'set',
  args: ['<name>', '<value>'],
  summary: 'store a setting of an account, or choose the default account',
  examples: [
    ['adreport config set base-url https://reports.example.com', 'for the default account'],
    ['adreport config set profile dsp', 'its profile'],
    [
      'adreport config set base-url https://dsp.example.com --account agency',
      'for another account',
    ],
    ['adreport config set account agency', 'sets the default account'],
  ],
  flags: [accountFlags],
  async action({ context, options, args: [name, value] }) {
    await changeConfig(context, options, { name, value });
    return 0;
  },
});

const unsetCommand = declareCommand({
  name: 'unset',
  args: ['<name>'],
  summary: 'remove a stored setting',
  examples: [
    ['adreport config unset profile', 'back to buyer'],
    ['adreport config unset encoding --account agency', 'of another account'],
  ],
  flags: [accountFlags],
  async action({ context, options, args: [name] }) {
    await changeConfig(context, options, { name });
    return 0;
  },
});

const pathCommand = declareCommand({
  name: 'path',
  summary: 'print the path of the settings file',
  examples: [
    ['adreport config path', 'whether it exists or not'],
    ['ls -l "$(dirname "$(adreport config path)")"', 'the folder of the settings'],
  ],
  async action({ context }) {
    await printConfigPath(context);
    return 0;
  },
});

export const configCommand = declareCommand({
  name: 'config',
  summary: 'show or change settings',
  examples: [
    ['adreport config list', 'every setting and its source'],
    ['adreport config set base-url https://reports.example.com', 'stores a setting'],
  ],
  subcommands: [listCommand, getCommand, setCommand, unsetCommand, pathCommand],
});

/** Prints every setting; with `--json` an array of `{name, source, from, value}`. */
async function listConfig(context: Context): Promise<void> {
  const settings = nameSettings(await context.account.settings());
  if (context.flags.json) {
    const rows = settings.map(({ value, ...rest }) => ({ ...rest, value: value ?? null }));
    return context.console.result(visibleJson(rows));
  }

  type Row = (typeof settings)[number];
  const columns = [
    { name: 'setting', value: (row: Row) => row.name, whole: true },
    { name: 'value', value: (row: Row) => row.value },
    { name: 'from', value: (row: Row) => (row.value === undefined ? 'not set' : row.from) },
  ];
  await context.console.write(textTable(settings, columns, tableLook(context)));
}

/** Prints the value of a setting, masked if secret; without one a note, or `null` as JSON. */
async function getConfig(context: Context, text: string): Promise<void> {
  const name = findSettingName(text);
  const settings = nameSettings(await context.account.settings());
  const value = settings.find((setting) => setting.name === name)?.value;

  if (context.flags.json) return context.console.result(visibleJson(value ?? null));
  if (value !== undefined) return context.console.result(printable(value));
  context.console.note(`${name} is not set.`);
}

/** Stores or removes a setting. Others are not validated, so that a wrong base URL can be fixed. */
async function changeConfig(
  context: Context,
  options: { readonly account?: string },
  { name, value }: { name: string; value?: string },
): Promise<void> {
  if (name === 'account' && value !== undefined && options.account !== undefined) {
    throw new UsageError(
      '--account selects the account to change, and config set account sets the default.',
      { hint: `Use: adreport config set account ${value}` },
    );
  }

  const account = await context.accounts.nameToChange();
  let sentence = '';
  await context.store().update((stored) => {
    const change = changeSetting(stored, account, name, value);
    sentence = change.message;
    return change.settings;
  });
  context.console.note(sentence);
}

async function printConfigPath(context: Context): Promise<void> {
  const { path } = context.store();
  await context.console.result(context.flags.json ? JSON.stringify(path) : path);
}
