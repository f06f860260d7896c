import { campaignsCommand } from './campaigns.ts';
import type { CommandBuilder } from './command.ts';
import { completeCommand, completionCommand } from './completion.ts';
import { configCommand } from './config.ts';
import { doctorCommand } from './doctor.ts';
import { downloadCommand } from './download.ts';
import { fieldsCommand } from './fields.ts';
import { helpCommand } from './help.ts';
import { initCommand } from './init.ts';
import { localServerCommand } from './local-server.ts';
import { loginCommand } from './login.ts';
import { logoutCommand } from './logout.ts';
import { reportCommand } from './report.ts';
import { runCommand } from './run.ts';
import { statusCommand } from './status.ts';
import { viewCommand } from './view.ts';
import { whoamiCommand } from './whoami.ts';

/** Every command with its heading and name, in the order of `--help`: a new one is its file and its line here. */
export const commands: readonly (readonly [
  heading: string,
  name: string,
  build: CommandBuilder,
])[] = [
  ['Reports:', 'run', runCommand],
  ['Reports:', 'report', reportCommand],
  ['Reports:', 'status', statusCommand],
  ['Reports:', 'download', downloadCommand],
  ['Reports:', 'view', viewCommand],
  ['Reports:', 'campaigns', campaignsCommand],
  ['Reports:', 'fields', fieldsCommand],
  ['Reports:', 'init', initCommand],
  ['Account and settings:', 'login', loginCommand],
  ['Account and settings:', 'logout', logoutCommand],
  ['Account and settings:', 'whoami', whoamiCommand],
  ['Account and settings:', 'config', configCommand],
  ['Account and settings:', 'doctor', doctorCommand],
  ['Without an account:', 'local-server', localServerCommand],
  ['Help:', 'completion', completionCommand],
  ['Help:', 'help', helpCommand],
  // The scripts of the shells call it, and no list shows it.
  ['', 'complete', completeCommand],
];
