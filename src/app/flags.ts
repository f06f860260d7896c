import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Encoding, encodings, type WindowClock, windowClocks } from '../contract/messages.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import { type FormatName, formatNames } from '../output/formats/index.ts';
import {
  type ComparedWindow,
  comparedWindows,
  type SplitUnit,
  splitUnits,
} from '../report/window.ts';
import { nearest } from '../text/nearest.ts';
import { parseDuration } from '../text/quantity.ts';
import type { ProgressMode } from '../ui/progress.ts';

// The groups of flags that commands share, each declared once; the types say what an action receives. Durations are in
// milliseconds.

/** What reads the value of a flag, or the words that it can be. */
type Reader = readonly string[] | ((text: string, earlier: never) => unknown);

/** What is rarer: a default with that as help shows it, the options that a flag excludes, and whether help leaves it out. */
type Rarer = { byDefault?: unknown; shown?: string; conflicts?: string[]; hidden?: boolean };

type Flag = readonly [flags: string, meaning: string, reader?: Reader | undefined, rarer?: Rarer];

/** Declares flags, which help shows under a heading. */
export function addFlags(command: Command, heading: string, flags: readonly Flag[]): Command {
  command.optionsGroup(heading);
  for (const [names, meaning, reader, { byDefault, shown, conflicts = [], hidden } = {}] of flags) {
    const option = new Option(names, meaning).conflicts(conflicts).hideHelp(hidden ?? false);
    if (typeof reader === 'function')
      option.argParser(reader as (text: string, earlier: unknown) => unknown);
    else if (reader) option.choices(reader).argParser((text: string) => readWord(text, reader));
    command.addOption(byDefault === undefined ? option : option.default(byDefault, shown));
  }
  return command;
}

type Texts<Name extends string> = { readonly [Flag in Name]?: string };
type Lists<Name extends string> = { readonly [Flag in Name]?: readonly string[] };
type Switches<Name extends string> = { readonly [Flag in Name]?: boolean };
type Numbers<Name extends string> = { readonly [Flag in Name]?: number };

/** The flags of the program, which hold for every command: `verbose` counts `-v`, `color` is false for `--no-color`. */
export type GlobalFlags = Switches<'json' | 'quiet'> & {
  readonly verbose: number;
  readonly color: boolean;
  readonly progress: ProgressMode;
};

export function addGlobalFlags(program: Command): Command {
  const progressModes: readonly ProgressMode[] = ['auto', 'bar', 'plain', 'json', 'none'];
  return addFlags(program, 'Options:', [
    ['--json', 'machine-readable results and errors'],
    ['-q, --quiet', 'nothing on stderr but errors'],
    [
      '-v, --verbose',
      'trace HTTP calls on stderr (-vv: more)',
      (_text, count) => count + 1,
      { byDefault: 0 },
    ],
    ['--no-color', 'no colour (also NO_COLOR; FORCE_COLOR for the reverse)'],
    ['--progress <mode>', 'how waiting is shown on stderr', progressModes, { byDefault: 'auto' }],
  ]);
}

/** Which service is called, with which account, and how long the program tries. */
export type ServiceFlags = Texts<'account' | 'baseUrl'> &
  Switches<'local'> &
  Numbers<'retries' | 'timeout'> & { readonly encoding?: Encoding };

export function addServiceFlags(command: Command): Command {
  return addFlags(command, 'Service:', [
    ['--account <name>', 'the stored account to use'],
    ['--base-url <url>', 'address of the service'],
    ['--local', 'use a local server started inside this process: no account, no network'],
    [
      '--encoding <kind>',
      'of the bodies of all calls (default: the stored one, else json)',
      encodings,
    ],
    ['--retries <n>', 'how often a failed call is repeated (default: 5)', readCount],
    ['--timeout <duration>', 'to connect, to the first byte, and idle (default: 30s)', readTimeout],
  ]);
}

/** What a report is of, as it was typed: names, dates and lists are read by `report/`. */
export interface ReportFlags
  extends ServiceFlags,
    Texts<'metrics' | 'by' | 'breakdowns' | 'timezone' | 'since' | 'until' | 'period'>,
    Lists<'filter' | 'country' | 'campaign' | 'adUnit' | 'advertiser'>,
    Switches<'direct' | 'dryRun'> {
  readonly profile?: Profile;
  readonly windowClock?: WindowClock;
}

export function addReportFlags(command: Command): Command {
  addFlags(command, 'Report:', [
    ['--profile <name>', "the account's profile (default: the stored one, else buyer)", profiles],
    ['--metrics <a,b>', 'metrics, in column order (default: all of the profile)'],
    ['--by <a,b>', 'breakdowns, e.g. DAILY,CAMPAIGN; any case'],
    ['--breakdowns <a,b>', 'the same as --by', undefined, { conflicts: ['by'], hidden: true }],
    ['--filter <name=v1,v2>', 'keep only these; repeatable', collect],
    [
      '--country <a,b>',
      'only these countries, by ISO code or English name: FR,Germany; repeatable',
      collect,
    ],
    ['--campaign <name>', "only campaigns of that name, e.g. 'Summer*'; repeatable", collect],
    ['--ad-unit <name>', 'only ad units of that name', collect],
    ['--advertiser <name>', 'only advertisers of that name (admin accounts)', collect],
  ]);
  addFlags(command, 'Window:', [
    [
      '--period <p>',
      'e.g. yesterday, last-7d, last-week, this-month, 2026-10, 2026-W45, 2026-11-01..2026-11-15',
    ],
    ['--since <t>', 'first second: 2026-11-01, a date-time, unix seconds, now, today, -7d, -36h'],
    ['--until <t>', 'last second, in the same forms (default: now)'],
    ['--timezone <tz>', 'zone of the report, DSP only (buyer: always Europe/Paris)'],
  ]);
  return addFlags(command, 'Request:', [
    [
      '--window-clock <kind>',
      'how the service reads the window (default: the stored one, else instant)',
      windowClocks,
    ],
    ['--direct', 'ask for the data in the answer, without waiting (output=direct)'],
    ['--dry-run', 'print the window, the request and a curl line; no network (but for names)'],
  ]);
}

/** Where a result goes, and in which form (`cli.md`, Output). `clobber` and `header` are false for `--no-…`. */
export interface OutputFlags
  extends Texts<'output' | 'title' | 'delimiter' | 'decimal'>,
    Switches<'open' | 'normalize' | 'bom' | 'excel' | 'escapeFormulas'> {
  readonly format?: FormatName;
  readonly columns?: readonly string[] | 'all';
  readonly clobber: boolean;
  readonly header: boolean;
}

export function addOutputFlags(command: Command): Command {
  return addFlags(command, 'Output:', [
    [
      '-o, --output <file>',
      'file to write, - for stdout; takes {profile} {report} {since} {until} {date} {id}',
    ],
    [
      '--format <name>',
      "of the output (default: by the file's ending; table on a terminal, csv in a pipe)",
      formatNames,
    ],
    ['--title <text>', 'html and xlsx: the heading (default: what the report is broken down by)'],
    ['--open', 'show the file once it is written, a page in the browser'],
    ['--no-clobber', 'refuse to replace an existing file'],
    ['--columns <a,b>', 'choose and order the columns, or all that the service sends', readColumns],
    ['--normalize', 'decimal points, and revenueDollar in both profiles'],
    ['--delimiter <c>', 'CSV delimiter (default: ,)'],
    ['--decimal <c>', 'CSV decimal mark', [',', '.']],
    ['--bom', 'CSV: begin with a byte order mark'],
    ['--excel', 'CSV as a European Excel opens it: ; and , and BOM'],
    ['--escape-formulas', 'CSV: defuse cells that a spreadsheet would run'],
    ['--no-header', 'CSV: no header row'],
  ]);
}

/** How long a command waits for a report, and how often it asks. */
export type WaitFlags = { readonly waitTimeout: number; readonly pollInterval: number | 'auto' };

export function addWaitFlags(command: Command): Command {
  const halfAnHour = { byDefault: 1_800_000, shown: '30m' };
  return addFlags(command, 'Waiting:', [
    [
      '--wait-timeout <duration>',
      'give up waiting after this long, exit 7',
      readDuration,
      halfAnHour,
    ],
    [
      '--poll-interval <duration>',
      'auto, or a fixed pause between calls',
      readPollInterval,
      { byDefault: 'auto' },
    ],
  ]);
}

/**
 * Everything that `run` takes; the names of its flags are also the keys of a saved report. `given` are the options that stand
 * on the command line, which beat those of a saved report.
 */
export type RunOptions = ReportFlags &
  OutputFlags &
  WaitFlags &
  Texts<'shard' | 'file'> &
  Switches<'missing' | 'fresh' | 'strict' | 'all'> & {
    readonly split?: SplitUnit;
    readonly concurrency: number;
    readonly lookback?: number;
    readonly compare?: ComparedWindow;
    readonly given?: readonly string[];
  };

/** The flags of `run`, for the command and for the keys of `adreport.yaml`. */
export function addRunFlags(command: Command): Command {
  addFlags(addReportFlags(command), 'Request:', [
    [
      '--compare <window>',
      'html, table, xlsx and the card: the change against that window',
      comparedWindows,
    ],
    ['--fresh', 'create a new report even where the same one is still unfinished'],
    [
      '--strict',
      'days missing from the window, or a repeated row, are exit 9 instead of a warning',
    ],
  ]);
  addFlags(addOutputFlags(command), 'Many reports:', [
    [
      '--split <unit>',
      'a report for each unit; one merged output, or with {date} a file each',
      splitUnits,
    ],
    ['--concurrency <n>', 'reports at a time', readPositive, { byDefault: 4 }],
    ['--missing', 'fetch only what has no file yet'],
    [
      '--lookback <n>',
      'with --missing: the last n parts again, because late numbers change them',
      readCount,
    ],
    ['--shard <k/n>', 'only every n-th part, for n machines side by side'],
  ]);
  return addFlags(addServiceFlags(addWaitFlags(command)), 'Saved reports:', [
    ['--all', 'every report of adreport.yaml'],
    [
      '--file <file>',
      'take the reports from this file (default: adreport.yaml, here or in a folder above)',
    ],
  ]);
}

/** The flags of `run` that only `--help-all` shows. */
export const rareRunFlags: readonly string[] =
  `--ad-unit --advertiser --window-clock --direct --fresh --no-clobber --normalize
  --delimiter --decimal --bom --escape-formulas --no-header --concurrency --shard --poll-interval --base-url --encoding
  --retries --timeout --file --title --open`.split(/\s+/);

// What reads the value of a flag. Each throws Commander's `InvalidArgumentError`, which ends in exit 2.

function readWord(text: string, words: readonly string[]): string {
  const found = words.find((word) => word === text.toLowerCase());
  if (found !== undefined) return found;
  const guess = nearest(text, words);
  throw new InvalidArgumentError(
    `${guess ? `Did you mean ${guess}? ` : ''}Allowed choices are ${words.join(', ')}.`,
  );
}

function readColumns(text: string): string[] | 'all' {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw new InvalidArgumentError('A name is empty. For example: date,campaignName,clicks');
  return names.length === 1 && names[0]?.toLowerCase() === 'all' ? 'all' : names;
}

/** The values of a flag that may be given again, in their order. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** `500ms`, `30s`, `5m`, `2h`, `1d` or `0`, in milliseconds. */
export function readDuration(value: string, _earlier?: unknown, leastMs = 0): number {
  const durationMs = parseDuration(value);
  if (durationMs === undefined)
    throw new InvalidArgumentError('Give a number with a unit: 500ms, 30s, 5m or 2h.');
  if (durationMs < leastMs) throw new InvalidArgumentError(`The shortest is ${leastMs}ms.`);
  return durationMs;
}

/** A duration that is not 0, which would mean to wait for ever. */
export const readTimeout = (value: string) => readDuration(value, undefined, 1);

const readPollInterval = (value: string) =>
  value === 'auto' ? value : readDuration(value, undefined, 100);

/** A whole number from 0, or `least`, to 999,999, or `most`. */
export function readCount(value: string, _earlier?: unknown, least = 0, most = 999_999): number {
  if (!/^\d+$/.test(value) || Number(value) < least) {
    throw new InvalidArgumentError(`Give a whole number, ${least} or more.`);
  }
  if (Number(value) > most) throw new InvalidArgumentError(`The highest number is ${most}.`);
  return Number(value);
}

/** A whole number from 1 to 999,999. */
export const readPositive = (value: string) => readCount(value, undefined, 1);
