import type { Command } from 'commander';
import type { VocabularyEntry } from '../contract/vocabulary.ts';
import { summaryOf, topics } from '../help/index.ts';
import { optionsTakenBy } from './command.ts';

/** Names that candidates can have, with their meanings. */
interface Meanings {
  readonly program: Command;

  /** The command of the line that is being completed. */
  readonly command: Command;
  readonly entries: readonly Pick<VocabularyEntry, 'name' | 'meaning'>[];
}

/**
 * The meaning of a candidate, in one line: of a flag, a command, a topic, or the last name of a
 * list. Empty for others.
 */
export function describeCandidate(
  candidate: string,
  { program, command, entries }: Meanings,
): string {
  const word = candidate.trim();
  const option = optionsTakenBy(command).find((each) => each.option.long === word)?.option;
  if (option) return firstSentence(option.description);

  const above = command.name() === 'help' ? program : command;
  const child = above.commands.find((each) => each.name() === word);
  if (child) return child.summary();
  if (above === program && Object.hasOwn(topics, word)) return summaryOf(topics[word] ?? '');

  const name = word.slice(word.lastIndexOf(',') + 1).replace(/=$/, '');
  return entries.find((entry) => entry.name === name)?.meaning ?? '';
}

/** A description without what follows its first semicolon. */
function firstSentence(text: string): string {
  return text.replaceAll(/\s+/g, ' ').split('; ')[0] ?? '';
}
