import type { Option } from 'commander';
import { storableNames } from '../../../config/change-setting.ts';
import { settingNames } from '../../../config/named-settings.ts';
import type { Context } from '../../../context.ts';
import { type Profile, profiles, vocabularyOf } from '../../../contract/vocabulary.ts';
import { formatNames, formats } from '../../../output/formats/index.ts';
import { shells } from '../../completion.ts';
import { topics } from '../../topics/index.ts';
import type { Place } from './place.ts';
import { accountNames, ledgerReports, profileInUse, savedReports } from './stored-names.ts';

export interface Candidate {
  readonly value: string;
  readonly meaning?: string;
}

export interface Values {
  /** `open`: more may follow in the same word; `files` and `folders` are the shell's own to complete. */
  readonly kind: 'words' | 'open' | 'files' | 'folders';
  readonly candidates: readonly Candidate[];
}

type Source = (context: Context, place: Place, current: string) => Values | Promise<Values>;

const files: Source = () => ({ kind: 'files', candidates: [] });
const folders: Source = () => ({ kind: 'folders', candidates: [] });

/** Sources by the attribute names of flags; a flag with choices of its own needs none. */
const sources: Readonly<Record<string, Source>> = {
  account: (context, { given }) => words(given.get('local') ? [] : accountNames(context)),
  by: breakdownList,
  breakdowns: breakdownList,
  columns: (context, place, current) => list(current, columnNames(context, place)),
  sort: (context, place) => words(columnNames(context, place)),
  fault: faultSpecs,
  file: files,
  filter: (context, place) => {
    const { filters } = vocabularyOf(profileAt(context, place) ?? 'buyer');
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

/** What the next word may be that is neither a command nor a flag. */
export async function operandValues(context: Context, place: Place): Promise<Values> {
  const { command, operands, given } = place;
  switch ([command.parent?.name(), command.name()].join(' ')) {
    case 'adreport run':
      return words((await savedReports(context, given.get('file'))).filter(({ value }) => !operands.includes(value)));
    case 'adreport status':
    case 'adreport download':
      return words(operands.length > 0 ? [] : await ledgerReports(context));
    case 'adreport fields':
      return words(ofProfile(context, place, 'breakdowns', 'metrics', 'filters'));
    case 'adreport completion':
      return words(shells.map((value) => ({ value })));
    case 'adreport help':
      return words(helpWords(place));
    case 'config get':
      return words(operands.length > 0 ? [] : settingNames.map((value) => ({ value })));
    case 'config set':
    case 'config unset':
      return words(operands.length > 0 ? settingValues(context, place) : storableNames.map((value) => ({ value })));
    case 'local-server export':
    case 'local-server validate':
      return folders(context, place, '');
    case 'local-server exec':
      return files(context, place, '');
    default:
      return words([]);
  }
}

function words(candidates: readonly Candidate[]): Values {
  return { kind: 'words', candidates };
}

/** A list with commas: the names that it does not hold yet, each behind what it holds. */
function list(current: string, candidates: readonly Candidate[]): Values {
  const head = current.slice(0, current.lastIndexOf(',') + 1);
  const taken = head.toLowerCase().split(',');
  const open = candidates.filter(({ value }) => !taken.includes(value.toLowerCase()));
  return { kind: 'open', candidates: open.map(({ value, meaning = '' }) => ({ value: head + value, meaning })) };
}

/** The profile that the command line or the settings name; `undefined` where either may be meant. */
function profileAt(context: Context, { given }: Place): Profile | undefined {
  const named = given.get('profile') ?? profileInUse(context, given.get('account'));
  return profiles.find((profile) => profile === named);
}

function ofProfile(context: Context, place: Place, ...kinds: readonly ('metrics' | 'breakdowns' | 'filters')[]) {
  const vocabulary = vocabularyOf(profileAt(context, place) ?? 'buyer');
  return kinds.flatMap((kind) => vocabulary[kind].map(({ name, meaning }) => ({ value: name, meaning })));
}

/** Time breakdowns exclude each other. */
function breakdownList(context: Context, place: Place, current: string): Values {
  const { breakdowns } = vocabularyOf(profileAt(context, place) ?? 'buyer');
  const given = current.toUpperCase().split(',').slice(0, -1);
  const hasTime = breakdowns.some(({ name, time }) => time && given.includes(name));
  const fitting = breakdowns.filter(({ time }) => !(hasTime && time));
  return list(
    current,
    fitting.map(({ name, meaning }) => ({ value: name, meaning })),
  );
}

/** The columns that the breakdowns of the line lead to, or all where there are none yet; then the metrics. */
function columnNames(context: Context, place: Place): Candidate[] {
  const { breakdowns, metrics } = vocabularyOf(profileAt(context, place) ?? 'buyer');
  const by = place.given.get('by')?.toUpperCase().split(',');
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

function helpWords({ command, operands }: Place): Candidate[] {
  const program = command.parent;
  const [first] = operands;
  const above = first === undefined ? program : program?.commands.find((child) => child.name() === first);
  const commands = above ? above.createHelp().visibleCommands(above) : [];
  return [
    ...commands.map((child) => ({ value: child.name(), meaning: child.summary() })),
    ...(first === undefined ? Object.entries(topics).map(([value, { summary }]) => ({ value, meaning: summary })) : []),
  ];
}

function settingValues(context: Context, { command, operands }: Place): readonly Candidate[] {
  if (command.name() !== 'set' || operands.length !== 1) return [];
  if (operands[0] === 'profile') return profiles.map((value) => ({ value }));
  return operands[0] === 'account' ? accountNames(context) : [];
}
