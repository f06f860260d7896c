import type { Command } from 'commander';
import { addSubcommand, type CommandBuilder, declareCommand, type Perform } from './command.ts';

export interface ConfigOptions {
  readonly account?: string;
}

export const configCommand: CommandBuilder = (perform) => {
  const command = declareCommand('config', [
    ['adreport config list', 'every setting, and where it came from'],
    ['adreport config set base-url https://reports.example.com', 'stores one'],
  ]);
  addSubcommand(command, 'every setting, with its value and where that came from', listCommand(perform));
  addSubcommand(command, 'the value of a setting, alone', getCommand(perform));
  addSubcommand(command, 'store a setting of an account, or which account is the default', setCommand(perform));
  addSubcommand(command, 'take back what is stored', unsetCommand(perform));
  addSubcommand(command, 'the file in which settings are stored', pathCommand(perform));
  return command;
};

function listCommand(perform: Perform): Command {
  return addLocalFlag(
    addAccountFlag(
      declareCommand('list', [
        ['adreport config list', 'a table; secrets are masked'],
        ['adreport config list --json --local', 'for programs'],
      ]),
    ),
  ).action(perform(async () => (await import('./actions/config/list.ts')).listConfig));
}

function getCommand(perform: Perform): Command {
  return addLocalFlag(
    addAccountFlag(
      declareCommand('get <name>', [
        ['adreport config get base-url', 'prints the value alone; nothing where there is none'],
        ['adreport config get profile --local', 'without an account'],
      ]),
    ),
  ).action(perform(async () => (await import('./actions/config/get.ts')).getConfig));
}

function setCommand(perform: Perform): Command {
  return addAccountFlag(
    declareCommand('set <name> <value>', [
      ['adreport config set base-url https://reports.example.com', 'of the default account'],
      ['adreport config set profile dsp', 'its profile'],
      ['adreport config set base-url https://dsp.example.com --account agency', 'of another account'],
      ['adreport config set account agency', 'which account is the default'],
    ]),
  ).action(perform(async () => (await import('./actions/config/set.ts')).setConfig));
}

function unsetCommand(perform: Perform): Command {
  return addAccountFlag(
    declareCommand('unset <name>', [
      ['adreport config unset profile', 'back to buyer'],
      ['adreport config unset base-url --account agency', 'forgets the account'],
    ]),
  ).action(perform(async () => (await import('./actions/config/unset.ts')).unsetConfig));
}

function pathCommand(perform: Perform): Command {
  return declareCommand('path', [
    ['adreport config path', 'whether it is there or not'],
    ['ls -l "$(dirname "$(adreport config path)")"', 'the folder, with the ledger'],
  ]).action(perform(async () => (await import('./actions/config/path.ts')).printConfigPath));
}

function addAccountFlag(command: Command): Command {
  return command.option('--account <name>', 'the stored account (default: the default one)');
}

function addLocalFlag(command: Command): Command {
  return command.option('--local', 'the settings of the local server inside this process');
}
