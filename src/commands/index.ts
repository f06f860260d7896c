import { campaignsCommand } from './campaigns.ts';
import { checkCommand } from './check.ts';
import type { CommandDeclaration } from './command.ts';
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
import { updateCommand } from './update.ts';
import { viewCommand } from './view.ts';
import { whoamiCommand } from './whoami.ts';

/** Commands, in the order of `adreport --help-all`. */
export const commandGroups: readonly {
  readonly heading: string;
  readonly commands: readonly CommandDeclaration[];
}[] = [
  {
    heading: 'Reports:',
    commands: [
      runCommand,
      reportCommand,
      statusCommand,
      downloadCommand,
      viewCommand,
      checkCommand,
      updateCommand,
      campaignsCommand,
      fieldsCommand,
      initCommand,
    ],
  },
  {
    heading: 'Account and settings:',
    commands: [loginCommand, logoutCommand, whoamiCommand, configCommand, doctorCommand],
  },
  { heading: 'Without an account:', commands: [localServerCommand] },
  { heading: 'Help:', commands: [completionCommand, helpCommand] },
];

/** Called by shell scripts, and never listed. */
export const hiddenCommands: readonly CommandDeclaration[] = [completeCommand];
