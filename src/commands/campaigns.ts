import { type CommandBuilder, declareCommand } from './command.ts';
import { addOutputFlags, addServiceFlags, type OutputFlags, type ServiceFlags } from './flags.ts';

export interface CampaignsOptions extends ServiceFlags, OutputFlags {
  readonly adUnits?: boolean;
  readonly search?: string;
  /** `true` where the flag has no value: today. */
  readonly active?: string | true;
}

export const campaignsCommand: CommandBuilder = (perform) =>
  addOutputFlags(
    addServiceFlags(
      declareCommand('campaigns', [
        ['adreport campaigns --local', 'a table on a terminal, CSV in a pipe'],
        ['adreport campaigns --local --active --search puzzle', 'running today, with “puzzle” in a name'],
        ['adreport campaigns --local --ad-units --format json', 'one object an ad unit'],
      ])
        .option('--ad-units', 'one row an ad unit')
        .option('--search <text>', 'only those with the text in a name or an id; any case')
        .option('--active [date]', 'only those that run on the day (default: today), YYYY-MM-DD'),
    ),
  ).action(perform(async () => (await import('./actions/campaigns.ts')).campaigns));
