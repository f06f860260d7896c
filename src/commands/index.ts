import type { CommandBuilder } from './command.ts';

type CommandGroup = 'Reports:' | 'Account and settings:' | 'Without an account:' | 'Help:';

/** A command as the root lists it; what declares its flags is loaded when the command line names it. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** The heading it stands under; without one it is not listed. */
  readonly group?: CommandGroup;
  readonly load: () => Promise<CommandBuilder>;
}

/** Every command, in the order of `--help`: a new one is its file and its line here. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'create a report, wait for it, download it: the main job',
    group: 'Reports:',
    load: async () => (await import('./run.ts')).runCommand,
  },
  {
    name: 'report',
    summary: 'create reports one step at a time, and list them',
    group: 'Reports:',
    load: async () => (await import('./report.ts')).reportCommand,
  },
  {
    name: 'status',
    summary: 'how a report stands',
    group: 'Reports:',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    name: 'download',
    summary: 'fetch the data of a report that is ready',
    group: 'Reports:',
    load: async () => (await import('./download.ts')).downloadCommand,
  },
  {
    name: 'view',
    summary: 'the figures of a report file: totals, groups, charts',
    group: 'Reports:',
    load: async () => (await import('./view.ts')).viewCommand,
  },
  {
    name: 'campaigns',
    summary: 'list campaigns and their ad units',
    group: 'Reports:',
    load: async () => (await import('./campaigns.ts')).campaignsCommand,
  },
  {
    name: 'fields',
    summary: 'the metrics, breakdowns and filters of a profile, with meanings',
    group: 'Reports:',
    load: async () => (await import('./fields.ts')).fieldsCommand,
  },
  {
    name: 'init',
    summary: 'write a commented adreport.yaml, for reports to run by name',
    group: 'Reports:',
    load: async () => (await import('./init.ts')).initCommand,
  },
  {
    name: 'login',
    summary: 'sign in and store the token',
    group: 'Account and settings:',
    load: async () => (await import('./login.ts')).loginCommand,
  },
  {
    name: 'logout',
    summary: 'forget the stored token',
    group: 'Account and settings:',
    load: async () => (await import('./logout.ts')).logoutCommand,
  },
  {
    name: 'whoami',
    summary: 'the account, where its token comes from, and whether it works',
    group: 'Account and settings:',
    load: async () => (await import('./whoami.ts')).whoamiCommand,
  },
  {
    name: 'config',
    summary: 'the settings, where each comes from, and what is stored of them',
    group: 'Account and settings:',
    load: async () => (await import('./config.ts')).configCommand,
  },
  {
    name: 'doctor',
    summary: 'check settings, network and token, with a fix for what is wrong',
    group: 'Account and settings:',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'local-server',
    summary: 'the service itself, from fixture data, on this machine',
    group: 'Without an account:',
    load: async () => (await import('./local-server.ts')).localServerCommand,
  },
  {
    name: 'completion',
    summary: 'print the script that completes command lines in bash, zsh or fish',
    group: 'Help:',
    load: async () => (await import('./completion.ts')).completionCommand,
  },
  {
    name: 'complete',
    summary: 'the completions of a command line, for the shell scripts',
    load: async () => (await import('./complete.ts')).completeCommand,
  },
  {
    name: 'help',
    summary: 'help for a command or a topic',
    group: 'Help:',
    load: async () => (await import('./help.ts')).helpCommand,
  },
];
