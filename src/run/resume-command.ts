import { commandFor, fixedPeriod } from '../query/command-for.ts';
import { downloadFlags } from '../query/flags/download-flags.ts';
import { type FlagGroup, type FlagTable, isNegation, type OptionsOf } from '../query/flags/flag.ts';
import { type ServiceFlags, serviceFlags } from '../query/flags/service-flags.ts';
import { keepsFolder } from '../query/parts.ts';
import type { Output, Part, Query } from '../query/query.ts';
import { type SavedValue, toArguments, toWords } from '../query/saved-keys.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import type { PlannedQuery } from './plan-run.ts';

/** Where a command is to be typed. */
interface CommandPlace {
  /** As typed with `--base-url`, if it was. */
  readonly baseUrl?: string | undefined;
  readonly platform: NodeJS.Platform;
}

function baseUrlWords(baseUrl: string | undefined): string[] {
  return baseUrl === undefined ? [] : ['--base-url', baseUrl];
}

/** Formats the command that goes on with a report, or requests it again. */
export function resumeCommand(
  { query, options, whole, allParts }: PlannedQuery,
  platform: NodeJS.Platform,
): string {
  const { shard, baseUrl, fresh } = options;
  const more = [
    // Without it, the files of a folder that are final are not requested again.
    ...(fresh && keepsFolder(query) ? ['--fresh'] : []),
    ...(shard ? ['--shard', `${shard.index}/${shard.count}`] : []),
    ...baseUrlWords(baseUrl),
  ];
  // By parts, because the last one may not be over.
  const [first = whole] = allParts;
  const period = fixedPeriod(first, allParts.at(-1) ?? whole);
  return commandFor(query, period, { platform, more });
}

/** Formats the command that requests a report again. */
export function requestAgainCommand(part: Part, { baseUrl, platform }: CommandPlace): string {
  return commandFor(part.query, fixedPeriod(part), { platform, more: baseUrlWords(baseUrl) });
}

const downloadOptions = new Set(
  downloadFlags.flatMap(({ flags }: FlagGroup) => Object.keys(flags)),
);

/** Formats the command that waits for and downloads a report, with the flags that apply. */
export function formatDownloadCommand(
  reportId: string,
  query: Query,
  {
    baseUrl,
    platform,
    outputs = [],
  }: CommandPlace & { readonly outputs?: readonly Output[] | undefined },
): string {
  const [{ format }] = query.outputs;
  const [first = { path: '-', format }, ...others] = outputs;
  const written = { ...query, outputs: [first, ...others] as const };
  const words = toArguments(written, (option) => downloadOptions.has(option));
  return idCommand('download', reportId, ['--wait', ...words, ...baseUrlWords(baseUrl)], platform);
}

/** Formats a command that names a report by its id. */
export function idCommand(
  command: 'download' | 'status',
  reportId: string,
  words: readonly string[],
  platform: NodeJS.Platform,
): string {
  // An id that begins with a dash would be read as a flag: it is last, after `--`.
  const ordered = reportId.startsWith('-') ? [...words, '--', reportId] : [reportId, ...words];
  return ['adreport', command, ...ordered.map((word) => shellWord(word, platform))].join(' ');
}

/** Returns the flags of a group that have a value, as typed. */
export function typedWords<Flags extends FlagTable>(
  { flags }: FlagGroup<Flags>,
  options: Partial<OptionsOf<FlagGroup<Flags>>>,
): string[] {
  const values: Readonly<Record<string, unknown>> = options;
  return Object.entries(flags).flatMap(([option, flag]) => {
    const value = values[option];
    const isDefault =
      value === undefined || value === false || (isNegation(flag) && value === true);
    const isTyped = !isDefault || (isNegation(flag) && value === false);
    return isTyped ? toWords(flag, value as SavedValue) : [];
  });
}

/** Returns the flags for the service and the account, as typed. */
export function typedAccountWords({ account, baseUrl, encoding }: ServiceFlags): string[] {
  return typedWords(serviceFlags, { account, baseUrl, encoding });
}
