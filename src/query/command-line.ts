import { findCountry } from '../contract/countries.ts';
import { defaultZone } from '../contract/messages.ts';
import { vocabularyOf } from '../contract/vocabulary.ts';
import { formatOfFile } from '../formats/index.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { formatDate, formatDays, formatInstant, type Window } from './calendar.ts';
import { downloadFlags } from './flags/download-flags.ts';
import {
  type Flag,
  type FlagGroup,
  type FlagTable,
  isNegation,
  longNameOf,
  type OptionsOf,
  type SpecFlag,
} from './flags/flag.ts';
import { specFlags } from './flags/run-flags.ts';
import { type ServiceFlags, serviceFlags } from './flags/service-flags.ts';
import type { Job } from './plan.ts';
import type { ReportPlan } from './request.ts';
import type { ReportSpec, SpecRequest, SpecValue } from './spec.ts';

/** A flag with its value as a string; a switch has no value. */
interface TypedFlag {
  /** Option name, such as `baseUrl`. */
  readonly option: string;

  /** Name in `adreport.yaml`. */
  readonly key: string;

  /** Name on a command line. */
  readonly name: string;
  readonly value?: string;
}

/** A window as values of flags. */
type WindowFlagValues = Pick<ReportSpec, 'period' | 'since' | 'until'>;

/** Formats a window as fixed dates, or as instants if it does not consist of whole days. */
function formatWindowFlags(window: Window): WindowFlagValues {
  const { since, end: over, zone } = window;
  const isWholeDays = [since, over].every((instant) => isMidnight(instant, zone));
  if (!isWholeDays) {
    return { since: formatInstant(since, zone), until: formatInstant(over - 1, zone) };
  }
  const [firstDay, lastDay] = [formatDate(since, zone), formatDate(over - 1, zone)];
  return { period: formatDays({ firstDay, lastDay }) };
}

function isMidnight(instant: number, zone: string): boolean {
  return formatDate(instant, zone) !== formatDate(instant - 1, zone);
}

/** Replaces the window of the spec. */
export function runCommandLine(
  spec: ReportSpec,
  window: WindowFlagValues,
  platform: NodeJS.Platform,
): string {
  const flags = flagsOf({ ...spec, ...noWindow, ...window });
  return ['adreport run', ...wordsOf(flags, platform)].join(' ');
}

const noWindow = { period: undefined, since: undefined, until: undefined };

/** A report that was requested before. */
export interface RecordedReport {
  readonly spec: ReportSpec;
  readonly plan: ReportPlan;
}

/** Formats the command that requests a report of the ledger again. */
export function requestAgainCommand(
  { spec, plan }: RecordedReport,
  { baseUrl, platform }: CommandPlace,
): string {
  const command = runCommandLine(spec, formatWindowFlags(plan.window), platform);
  return [command, ...baseUrlWords(baseUrl, platform)].join(' ');
}

/** Where a command is to be typed. */
interface CommandPlace {
  /** As typed with `--base-url`, if it was. */
  readonly baseUrl?: string | undefined;
  readonly platform: NodeJS.Platform;
}

function baseUrlWords(baseUrl: string | undefined, platform: NodeJS.Platform): string[] {
  return baseUrl === undefined ? [] : ['--base-url', shellWord(baseUrl, platform)];
}

/**
 * Formats the command that resumes a job. Its window is given as dates, so that it means the same
 * tomorrow.
 */
export function continuedCommand(
  job: Pick<Job, 'spec' | 'options' | 'plan' | 'allParts' | 'isMerged'>,
  platform: NodeJS.Platform,
): string {
  const { spec, options, plan, allParts, isMerged } = job;
  const { shard, baseUrl, refetch } = options;
  const [first] = allParts;
  const last = allParts.at(-1);
  const isInParts = options.split !== undefined && first && last;
  const ofRun = [
    ...(refetch ? ['--refetch'] : []),
    // Files that are already complete are not requested again.
    ...(isInParts && !isMerged && !refetch && !spec.missing ? ['--missing'] : []),
    ...(shard === undefined ? [] : ['--shard', shellWord(shard, platform)]),
    ...baseUrlWords(baseUrl, platform),
  ];
  // By parts, because the last one may not be over.
  const window = isInParts
    ? { period: formatDays({ firstDay: first.since, lastDay: last.until }) }
    : formatWindowFlags(plan.window);
  return [runCommandLine(spec, window, platform), ...ofRun].join(' ');
}

/** Formats the command that waits for and downloads a report, with the flags that apply. */
export function downloadCommandLine(
  reportId: string,
  spec: AnySpec,
  { baseUrl, platform }: CommandPlace,
): string {
  const accepted = new Set(downloadFlags.flatMap(({ flags }: FlagGroup) => Object.keys(flags)));
  const flags = flagsOf(spec).filter(({ option }) => accepted.has(option));
  const words = ['--wait', ...wordsOf(flags, platform), ...baseUrlWords(baseUrl, platform)];
  return commandFor('download', reportId, { words, platform });
}

export function commandFor(
  command: string,
  reportId: string,
  { words, platform }: { readonly words: readonly string[]; readonly platform: NodeJS.Platform },
): string {
  const id = shellWord(reportId, platform);
  // An id that begins with a dash would be read as a flag: it is last, after `--`.
  const ordered = reportId.startsWith('-') ? [...words, '--', id] : [id, ...words];
  return ['adreport', command, ...ordered].join(' ');
}

function wordsOf(flags: readonly TypedFlag[], platform: NodeJS.Platform): string[] {
  return flags.flatMap(({ name, value }) =>
    value === undefined ? name : [name, shellWord(value, platform)],
  );
}

/** A spec whose members may be `undefined` instead of absent. */
type AnySpec = { readonly [Name in keyof ReportSpec]: ReportSpec[Name] | undefined } & Pick<
  ReportSpec,
  'request' | 'format' | 'timezone'
>;

/** Lists flags in the order of the flags of `run`. */
function flagsOf(spec: AnySpec): TypedFlag[] {
  const values = textsOf(spec);
  const typed: TypedFlag[] = [];
  for (const [option, flag] of specFlags) {
    const names = { option, key: longNameOf(flag).slice('--'.length), name: nameOf(flag) };
    for (const value of values.get(option) ?? []) {
      typed.push(value === true ? names : { ...names, value });
    }
  }
  return typed;
}

function nameOf(flag: Flag): string {
  return /^-\w/.exec(flag.flags)?.[0] ?? longNameOf(flag);
}

/** Values of one option, one for each use of its flag. */
type OptionValues = readonly (string | true)[];

function textsOf(spec: AnySpec): Map<string, OptionValues> {
  const { request, timezone, format, account, encoding, windowClock, ...others } = spec;
  const { name, ...shape } = format;
  const isDefaultZone = request.profile === 'buyer' || timezone === defaultZone;
  const settings = {
    ...others,
    ...shape,
    account: account === 'default' ? undefined : account,
    encoding,
    windowClock,
    format: formatOfFile(others.output ?? '-') === name ? undefined : name,
    timezone: isDefaultZone ? undefined : timezone,
  };

  const texts = new Map<string, OptionValues>(formatRequestOptions(request));
  for (const [option, value] of Object.entries(settings)) {
    const flag = specFlags.get(option);
    if (flag && value !== undefined) texts.set(option, formatOptionValue(flag, value));
  }
  return texts;
}

function formatOptionValue(flag: SpecFlag, value: SpecValue): OptionValues {
  if (typeof value !== 'boolean') return [String(value)];
  const isTyped = value !== isNegation(flag);
  return isTyped ? [true] : [];
}

function* formatRequestOptions(
  request: SpecRequest,
): Generator<[option: string, texts: OptionValues]> {
  const { profile, metrics, breakdowns, filters = {}, columns } = request;
  const all = vocabularyOf(profile).metrics.map((metric) => metric.name);
  if (profile === 'dsp') yield ['profile', [profile]];
  if (metrics.join() !== all.join()) yield ['metrics', [metrics.join(',')]];
  if (breakdowns.length > 0) yield ['by', [breakdowns.join(',')]];
  if (columns !== undefined) yield ['columns', [String(columns)]];

  const { campaign, adUnit, advertiser, countryId, ...ids } = filters;
  for (const [option, patterns] of Object.entries({ campaign, adUnit, advertiser })) {
    if (patterns) yield [option, [listText(patterns)]];
  }
  if (countryId) yield ['country', [listText(countryId.map(countryText))]];
  const filterTexts = Object.entries(ids).map(([name, values]) => `${name}=${listText(values)}`);
  if (filterTexts.length > 0) yield ['filter', filterTexts];
}

function countryText(id: string): string {
  return findCountry(id)?.code ?? id;
}

/** Joins a comma list; values with commas, quotes or outer blanks are in double quotes. */
function listText(values: readonly string[]): string {
  const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;
  return values.map((value) => (/[",]|^\s|\s$/.test(value) ? quoted(value) : value)).join(',');
}

/** Formats the flags of a group that have a value, as shell words. */
export function typedFlags<Flags extends FlagTable>(
  group: FlagGroup<Flags>,
  options: Partial<OptionsOf<FlagGroup<Flags>>>,
  platform: NodeJS.Platform,
): string[] {
  const values: Readonly<Record<string, unknown>> = options;
  const words: string[] = [];
  for (const [option, flag] of Object.entries(group.flags)) {
    const value = values[option];
    const isDefault = value === undefined || value === isNegation(flag);
    if (isDefault) continue;

    words.push(nameOf(flag));
    if (typeof value !== 'boolean') words.push(shellWord(String(value), platform));
  }
  return words;
}

/** Formats the flags for the service and the account, as shell words. */
export function typedAccountFlags(
  { account, baseUrl, encoding }: ServiceFlags,
  platform: NodeJS.Platform,
): string[] {
  return typedFlags(serviceFlags, { account, baseUrl, encoding }, platform);
}
