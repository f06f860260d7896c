import type { Command } from 'commander';
import { storableNames } from '../../../config/change-setting.ts';
import { settingNames } from '../../../config/named-settings.ts';
import type { Context } from '../../../context.ts';
import { profiles } from '../../../contract/vocabulary.ts';
import { topics } from '../../../help/index.ts';
import { findCommand } from '../../command.ts';
import { shells } from '../../completion.ts';
import type { Place } from './place.ts';
import { accountNames, ledgerReports, savedReports } from './stored-names.ts';
import { type Candidate, files, folders, ofProfile, type Source, type Values, words } from './values.ts';

/** Sources of what is neither a command nor a flag, by the words of the command. */
const operandSources: Readonly<Record<string, Source>> = {
  run: async (context, { given, operands }) =>
    words((await savedReports(context, given.get('file'))).filter(({ value }) => !operands.includes(value))),
  status: async (context) => words(await ledgerReports(context)),
  download: async (context) => words(await ledgerReports(context)),
  view: files,
  fields: (context, place) => words(ofProfile(context, place, 'breakdowns', 'metrics', 'filters')),
  completion: () => words(shells.map((value) => ({ value }))),
  help: (_context, place) => words(helpWords(place)),
  'config get': () => words(settingNames.map((value) => ({ value }))),
  'config set': (context, { operands }) => words(settingWords(context, operands)),
  'config unset': (context, { operands }) => words(settingWords(context, operands)),
  'local-server export': folders,
  'local-server validate': folders,
  'local-server exec': files,
};

/** What the next word may be that is neither a command nor a flag; nothing where the command takes no more. */
export async function operandValues(context: Context, place: Place, current: string): Promise<Values> {
  const { registeredArguments: declared } = place.command;
  const takesMore = declared.length > place.operands.length || declared.at(-1)?.variadic;
  const source = takesMore ? operandSources[pathOf(place.command)] : undefined;
  return source ? source(context, place, current) : words([]);
}

/** `config get`: the words that call a command, without the program's own. */
function pathOf(command: Command): string {
  const above = command.parent?.parent ? `${pathOf(command.parent)} ` : '';
  return above + command.name();
}

function helpWords({ command, operands }: Place): Candidate[] {
  const above = findCommand(command.parent as Command, operands);
  const commands = above ? above.createHelp().visibleCommands(above) : [];
  return [
    ...commands.map((child) => ({ value: child.name(), meaning: child.summary() })),
    ...(operands.length === 0
      ? Object.entries(topics).map(([value, { summary }]) => ({ value, meaning: summary }))
      : []),
  ];
}

/** The settings that can be stored; behind one, what it may be set to. */
function settingWords(context: Context, [name]: readonly string[]): readonly Candidate[] {
  if (name === undefined) return storableNames.map((value) => ({ value }));
  if (name === 'profile') return profiles.map((value) => ({ value }));
  return name === 'account' ? accountNames(context) : [];
}
