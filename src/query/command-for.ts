import { shellWord } from '../text/quote-for-shell.ts';
import { formatDate, formatDays, formatInstant, midnightAt } from './calendar.ts';
import { downloadFlags } from './flags/download-flags.ts';
import type { FlagGroup } from './flags/flag.ts';
import type { Shard } from './flags/read-value.ts';
import { fillsFolder } from './parts.ts';
import type { PeriodInput } from './period.ts';
import type { Part, Query } from './query.ts';
import { toArguments } from './saved-keys.ts';

/**
 * Returns the period from the first part to the last in a form that will mean the same tomorrow:
 * fixed dates, or instants if the parts do not consist of whole days.
 */
export function fixedPeriod(first: Part, last = first): PeriodInput {
  const { zone } = first;
  const isWholeDays = midnightAt(first.since, zone) && midnightAt(last.end, zone);
  if (!isWholeDays) {
    return { since: formatInstant(first.since, zone), until: formatInstant(last.end - 1, zone) };
  }
  const lastDay = formatDate(last.end - 1, zone);
  return { period: formatDays({ firstDay: first.firstDay, lastDay }) };
}

interface CommandOptions {
  readonly platform: NodeJS.Platform;

  /** Flags of this run that the command has to repeat. */
  readonly flags?: {
    readonly fresh?: boolean;
    readonly shard?: Shard;
    readonly baseUrl?: string | undefined;
  };
}

/** Formats the command that runs a query for a period. */
export function commandFor(
  query: Query,
  period: PeriodInput,
  { platform, flags = {} }: CommandOptions,
): string {
  const { fresh, shard, baseUrl } = flags;
  const args = ['run', ...toArguments(withPeriod(query, period))];
  if (query.service === 'local') args.push('--local');
  // Otherwise the final files of a folder would not be requested again.
  if (fresh && fillsFolder(query)) args.push('--fresh');
  if (shard) args.push('--shard', `${shard.index}/${shard.count}`);
  if (baseUrl !== undefined) args.push('--base-url', baseUrl);
  return formatCommand(args, platform);
}

const downloadOptions = new Set(
  downloadFlags.flatMap(({ flags }: FlagGroup) => Object.keys(flags)),
);

/** Formats the command that waits for a report by its ID and downloads it. */
export function downloadCommandFor(
  query: Query,
  reportId: string,
  { platform, flags: { baseUrl } = {} }: CommandOptions,
): string {
  const args = ['download', '--wait'];
  args.push(...toArguments(query, (option) => downloadOptions.has(option)));
  if (baseUrl !== undefined) args.push('--base-url', baseUrl);
  // An ID that begins with a dash would be parsed as a flag.
  if (reportId.startsWith('-')) args.push('--');
  return formatCommand([...args, reportId], platform);
}

/** Repeats a `download` or `status` command with the flags needed to wait for the report. */
export function waitingCommand(argv: readonly string[], platform: NodeJS.Platform): string {
  const command = argv.findIndex((arg) => arg === 'download' || arg === 'status');
  const args = argv.includes('--wait') ? argv : argv.toSpliced(command + 1, 0, '--wait');
  return formatCommand(args, platform);
}

function formatCommand(args: readonly string[], platform: NodeJS.Platform): string {
  return ['adreport', ...args.map((arg) => shellWord(arg, platform))].join(' ');
}

export function withPeriod(query: Query, period: PeriodInput): Query {
  const { period: _period, since: _since, until: _until, ...others } = query;
  return { ...others, ...period };
}
