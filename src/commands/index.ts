import { campaignsCommand } from './campaigns.ts';
import type { CommandBuilder } from './command.ts';
import { downloadCommand } from './download.ts';
import { fieldsCommand } from './fields.ts';
import { localServerCommand } from './local-server.ts';
import { loginCommand } from './login.ts';
import { logoutCommand } from './logout.ts';
import { reportCommand } from './report.ts';
import { runCommand } from './run.ts';
import { statusCommand } from './status.ts';
import { whoamiCommand } from './whoami.ts';

/** Every command, in the order of `--help`. */
export const commands: readonly CommandBuilder[] = [
  runCommand,
  reportCommand,
  statusCommand,
  downloadCommand,
  campaignsCommand,
  fieldsCommand,
  loginCommand,
  logoutCommand,
  whoamiCommand,
  localServerCommand,
];
