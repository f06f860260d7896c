import type { Option } from 'commander';
import type { Context } from '../../../context.ts';
import { vocabularyOf } from '../../../contract/look-up.ts';
import { profiles } from '../../../contract/vocabulary.ts';
import { formatNames, formats } from '../../../output/formats/index.ts';
import { accounts as builtInAccounts } from '../../../server/world/accounts.ts';
import type { Place } from './place.ts';
import { accountNames, profileInUse } from './stored-names.ts';

export interface Candidate {
  readonly value: string;
  readonly meaning?: string;
}

export interface Values {
  /** `open`: more may follow in the same word; `files` and `folders` are the shell's own to complete. */
  readonly kind: 'words' | 'open' | 'files' | 'folders';
  readonly candidates: readonly Candidate[];
}

/** What is offered in one place, for the beginning of a word. */
export type Source = (context: Context, place: Place, current: string) => Values | Promise<Values>;

export const files: Source = () => ({ kind: 'files', candidates: [] });
export const folders: Source = () => ({ kind: 'folders', candidates: [] });

/** The accounts of the server that `--local` starts, with their profiles. */
const localAccounts: readonly Candidate[] = builtInAccounts.map(({ name, profile }) => ({
  value: name,
  meaning: profile,
}));

/** Sources by the attribute names of flags; a flag with choices of its own needs none. */
const sources: Readonly<Record<string, Source>> = {
  account: (context, place) => words(isLocal(place) ? localAccounts : accountNames(context)),
  by: breakdownList,
  breakdowns: breakdownList,
  columns: columnList,
  sort: (context, place) => words(columnNames(context, place)),
  fault: faultSpecs,
  file: files,
  filter: (context, place) => {
    const { filters } = vocabularyAt(context, place);
    return { kind: 'open', candidates: filters.map(({ name, meaning }) => ({ value: `${name}=`, meaning })) };
  },
  fixtures: folders,
  format: () => words(formatNames.map((value) => ({ value, meaning: formats[value].meaning }))),
  metrics: (context, place, current) => list(current, ofProfile(context, place, 'metrics')),
  output: files,
  active: periods,
  period: periods,
  pollInterval: () => words([{ value: 'auto', meaning: 'a tenth of the time waited so far' }]),
  since: moments,
  until: moments,
  timezone: () => words(Intl.supportedValuesOf('timeZone').map((value) => ({ value }))),
  tlsCert: files,
  tlsKey: files,
};

/** What the value of a flag may be. */
export function optionValues(
  context: Context,
  place: Place,
  option: Option,
  current: string,
): Values | Promise<Values> {
  if (option.argChoices) return words(option.argChoices.map((value) => ({ value })));
  const source = sources[option.attributeName()];
  return source ? source(context, place, current) : words([]);
}

export function words(candidates: readonly Candidate[]): Values {
  return { kind: 'words', candidates };
}

/** A list with commas: the names that it does not hold yet, each behind what it holds. */
function list(current: string, candidates: readonly Candidate[]): Values {
  const head = current.slice(0, current.lastIndexOf(',') + 1);
  const taken = head.toLowerCase().split(',');
  const open = candidates.filter(({ value }) => !taken.includes(value.toLowerCase()));
  return { kind: 'open', candidates: open.map(({ value, meaning = '' }) => ({ value: head + value, meaning })) };
}

/** The vocabulary of the profile that the command line or the settings name, else of a buyer. */
function vocabularyAt(context: Context, place: Place) {
  const account = place.given.get('account');
  const ofAccount = isLocal(place)
    ? localAccounts.find(({ value }) => value === account)?.meaning
    : profileInUse(context, account);
  const named = place.given.get('profile') ?? ofAccount;
  return vocabularyOf(profiles.find((profile) => profile === named) ?? 'buyer');
}

function isLocal({ given }: Place): boolean {
  return given.has('local');
}

/** The names of a part of the vocabulary, in the profile that the line is for. */
export function ofProfile(context: Context, place: Place, ...kinds: readonly ('metrics' | 'breakdowns' | 'filters')[]) {
  const vocabulary = vocabularyAt(context, place);
  return kinds.flatMap((kind) => vocabulary[kind].map(({ name, meaning }) => ({ value: name, meaning })));
}

/** Time breakdowns exclude each other. */
function breakdownList(context: Context, place: Place, current: string): Values {
  const { breakdowns } = vocabularyAt(context, place);
  const given = current.toUpperCase().split(',').slice(0, -1);
  const hasTime = breakdowns.some(({ name, time }) => time && given.includes(name));
  const fitting = breakdowns.filter(({ time }) => !(hasTime && time));
  return list(
    current,
    fitting.map(({ name, meaning }) => ({ value: name, meaning })),
  );
}

async function columnList(context: Context, place: Place, current: string): Promise<Values> {
  if (place.command.name() !== 'campaigns') return list(current, columnNames(context, place));
  const { adUnitColumns, campaignColumns } = await import('../campaigns/campaign-list.ts');
  const columns = place.given.has('adUnits') ? adUnitColumns : campaignColumns;
  return list(
    current,
    columns.map(({ name }) => ({ value: name })),
  );
}

/** The columns that the breakdowns of the line lead to, or all where there are none yet; then the metrics. */
function columnNames(context: Context, place: Place): Candidate[] {
  const { breakdowns, metrics } = vocabularyAt(context, place);
  const given = place.given.get('by') ?? place.given.get('breakdowns');
  const by = given?.toUpperCase().split(',');
  const fields = breakdowns.filter(({ name }) => by?.includes(name) ?? true).flatMap((breakdown) => breakdown.fields);
  const names = new Set([...fields.map(({ name }) => name), ...metrics.map(({ name }) => name)]);
  return [...names].map((value) => ({ value }));
}

async function periods(): Promise<Values> {
  const { dayNames } = await import('../../../report/window/dates.ts');
  return words([...dayNames, 'last-24h', 'last-7d', 'last-30d'].map((value) => ({ value })));
}

async function moments(): Promise<Values> {
  const { dayNames } = await import('../../../report/window/dates.ts');
  return words(['now', ...dayNames, '-24h', '-7d'].map((value) => ({ value })));
}

async function faultSpecs(_context: Context, _place: Place, current: string): Promise<Values> {
  const [{ everyEndpoint }, { faultKinds }] = await Promise.all([
    import('../../../server/faults/fault-spec.ts'),
    import('../../../server/faults/kinds/index.ts'),
  ]);
  const [endpoint = '', ...rest] = current.split(':');
  if (rest.length === 0) return { kind: 'open', candidates: everyEndpoint.map((name) => ({ value: `${name}:` })) };
  const candidates = Object.entries(faultKinds).flatMap(([own, { names, meaning }]) =>
    (names?.examples ?? [own]).map((name) => ({ value: `${endpoint}:${name}`, meaning })),
  );
  return { kind: 'open', candidates };
}
