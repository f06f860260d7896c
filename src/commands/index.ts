import { campaignsCommand } from './campaigns.ts';
import type { CommandBuilder } from './command.ts';
import { completeCommand } from './complete.ts';
import { completionCommand } from './completion.ts';
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

/** Every command under its heading, in the order of `--help`: a new one is its file and its line here. */
export const commands: Readonly<Record<string, readonly CommandBuilder[]>> = {
  'Reports:': [
    runCommand,
    reportCommand,
    statusCommand,
    downloadCommand,
    viewCommand,
    campaignsCommand,
    fieldsCommand,
    initCommand,
  ],
  'Account and settings:': [loginCommand, logoutCommand, whoamiCommand, configCommand, doctorCommand],
  'Without an account:': [localServerCommand],
  'Help:': [completionCommand, helpCommand],
};

/** Commands that programs call, and no list shows. */
export const hiddenCommands: readonly CommandBuilder[] = [completeCommand];
