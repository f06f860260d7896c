import { changeSetting } from '../account/change-setting.ts';
import { formatBaseUrl } from '../account/setting-values.ts';
import { findEntry, settingKeys } from '../account/settings.ts';
import { UsageError } from '../errors.ts';
import { drawList } from '../present/terminal/text-table.ts';
import { flagGroup } from '../query/flags/flag.ts';
import type { Context } from '../run/context.ts';
import { visibleJson } from '../text/printable.ts';
import { declareCommand } from './command.ts';

const account = {
  flags: '--account <name>',
  meaning: 'stored account (default: the default account)',
} as const;
const accountFlags = flagGroup('Flags:', { account });
const listFlags = flagGroup('Flags:', {
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
  flags: [listFlags],
  action: ({ context }) => listConfig(context),
});

const setCommand = declareCommand({
  name: 'set',
  args: ['<name>', '<value>'],
  summary: 'store a setting of an account, or choose the default account',
  examples: [
    [
      'adreport config set base-url https://reports.example.com',
      'set the base URL of the default account',
    ],
    ['adreport config set profile dsp', 'set its profile'],
  ],
  flags: [accountFlags],
  action: ({ context, options, args: [name, value] }) =>
    changeConfig(context, options, { name, value }),
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
  action: ({ context, options, args: [name] }) => changeConfig(context, options, { name }),
});

const pathCommand = declareCommand({
  name: 'path',
  summary: 'print the path of the settings file',
  examples: [
    ['adreport config path', 'whether it exists or not'],
    ['ls -l "$(dirname "$(adreport config path)")"', 'the folder of the settings'],
  ],
  async action({ context: { accounts, console, flags } }) {
    const { path } = accounts.store();
    await console.result(flags.json ? JSON.stringify(path) : path);
  },
});

export const configCommand = declareCommand({
  name: 'config',
  summary: 'show or change settings',
  examples: [
    ['adreport config list', 'every setting and its source'],
    ['adreport config set base-url https://reports.example.com', 'stores a setting'],
  ],
  subcommands: [listCommand, setCommand, unsetCommand, pathCommand],
});

/**
 * Prints every setting, with `--json` as an array of `{name, source, from, value}`. Tokens are
 * masked, and a password is shown as `set`.
 */
async function listConfig(context: Context): Promise<void> {
  const settings = await context.account.settings();
  const rows = settingKeys.map((key) => {
    const { value, source, from } = settings[key];
    const text = value instanceof URL ? formatBaseUrl(value) : value;
    const { name, show = (plain: string) => plain } = findEntry(key);
    return { name, source, from, value: text === undefined ? null : show(text) };
  });
  if (context.flags.json) return context.console.result(visibleJson(rows));

  type Row = (typeof rows)[number];
  const columns = [
    { name: 'setting', value: (row: Row) => row.name, neverShortened: true },
    { name: 'value', value: (row: Row) => row.value },
    { name: 'from', value: (row: Row) => (row.value === null ? 'not set' : row.from) },
  ];
  await context.console.write(drawList(rows, columns, context.console.out.look));
}

/**
 * Stores or removes a setting. The other settings are not validated, so that a wrong base URL can
 * be fixed.
 */
async function changeConfig(
  context: Context,
  options: { readonly account?: string },
  input: { readonly name: string; readonly value?: string },
): Promise<void> {
  if (input.name === 'account' && options.account !== undefined) {
    throw new UsageError('--account cannot be used with the setting account.', {
      hint: 'Use: adreport config set account NAME',
    });
  }

  const { accounts, console, host } = context;
  const account = await accounts.nameToChange();
  let message = '';
  await accounts.store().update((stored) => {
    const change = changeSetting(stored, { ...input, account, env: host.env });
    message = change.message;
    return change.settings;
  });
  console.note(message);
}
