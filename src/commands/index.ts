import type { CommandBuilder } from './command.ts';

/** A command as the root lists it; what declares its flags is loaded when the command line names it. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandBuilder>;
}

/** Every command, in the order of `--help`: a new one is its file and its line here. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'create a report, wait for it, download it: the main job',
    load: async () => (await import('./run.ts')).runCommand,
  },
  {
    name: 'report',
    summary: 'create reports one step at a time, and list them',
    load: async () => (await import('./report.ts')).reportCommand,
  },
  { name: 'status', summary: 'how a report stands', load: async () => (await import('./status.ts')).statusCommand },
  {
    name: 'download',
    summary: 'fetch the data of a report that is ready',
    load: async () => (await import('./download.ts')).downloadCommand,
  },
  {
    name: 'view',
    summary: 'the figures of a report file: totals, groups, charts',
    load: async () => (await import('./view.ts')).viewCommand,
  },
  {
    name: 'campaigns',
    summary: 'list campaigns and their ad units',
    load: async () => (await import('./campaigns.ts')).campaignsCommand,
  },
  {
    name: 'fields',
    summary: 'the metrics, breakdowns and filters of a profile, with meanings',
    load: async () => (await import('./fields.ts')).fieldsCommand,
  },
  {
    name: 'init',
    summary: 'write a commented adreport.yaml, for reports to run by name',
    load: async () => (await import('./init.ts')).initCommand,
  },
  {
    name: 'login',
    summary: 'sign in and store the token',
    load: async () => (await import('./login.ts')).loginCommand,
  },
  { name: 'logout', summary: 'forget the stored token', load: async () => (await import('./logout.ts')).logoutCommand },
  {
    name: 'whoami',
    summary: 'the account, where its token comes from, and whether it works',
    load: async () => (await import('./whoami.ts')).whoamiCommand,
  },
  {
    name: 'local-server',
    summary: 'the service itself, from fixture data, on this machine',
    load: async () => (await import('./local-server.ts')).localServerCommand,
  },
];
