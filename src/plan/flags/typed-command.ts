import { shellWord } from '../../text/quote-for-shell.ts';
import { type FlagGroup, type FlagTable, isNegation, longNameOf, type OptionsOf } from './flag.ts';
import { type ServiceFlags, serviceFlags } from './service-flags.ts';

/** A command line about one report, as a person would type it. */
export function typedCommand(command: string, reportId: string, flags: readonly string[]): string {
  const words = ['adreport', command];
  // An id that begins with a dash would be read as a flag: it stands last, behind `--`.
  if (reportId.startsWith('-')) words.push(...flags, '--', shellWord(reportId));
  else words.push(shellWord(reportId), ...flags);
  return words.join(' ');
}

/** The command line that waits for a report as the same account. */
export function typedWaitCommand(reportId: string, options: ServiceFlags): string {
  return typedCommand('status', reportId, ['--wait', ...typedAccountFlags(options)]);
}

/** The flags that name the service and the account. */
export function typedAccountFlags({ account, baseUrl, encoding }: ServiceFlags): string[] {
  return typedFlags(serviceFlags, { account, baseUrl, encoding });
}

/** The flags of a group with their values, as they are typed; what has no value is left out. */
export function typedFlags<Flags extends FlagTable>(
  group: FlagGroup<Flags>,
  options: Partial<OptionsOf<FlagGroup<Flags>>>,
): string[] {
  const values: Readonly<Record<string, unknown>> = options;
  const words: string[] = [];

  for (const [name, flag] of Object.entries(group.flags)) {
    const value = values[name];
    const isDefault = value === undefined || value === isNegation(flag);
    if (isDefault) continue;

    const shortName = /^-\w/.exec(flag.flags)?.[0];
    words.push(shortName ?? longNameOf(flag));
    if (typeof value !== 'boolean') words.push(shellWord(String(value)));
  }
  return words;
}
