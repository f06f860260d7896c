import type { Judgement } from '../errors.ts';
import { isObject } from '../text/json-object.ts';
import { printable, serviceTextAtMost, shortened } from '../text/printable.ts';
import { plain, saysSomething, valueText } from './beside-rows.ts';
import { Sayings } from './check.ts';

/** The finding of an id that the service had given to another request. */
export function idOfOther(id: string): string {
  return `The service answered the order with the id of another request’s report: ${printable(id)}.`;
}

/** Members are told so deep at most. */
const levelsAtMost = 6;

/** What the service calls so is meant for people. */
const messageForm = /^(?:warning|notice|message)s?$/;

/** What the specification has, and what tells nothing of the rows. */
const knownInSummary: readonly string[] = ['since', 'until', 'breakdowns', 'timezone'];
const knownInRecords: readonly string[] = [
  'status',
  'state',
  'reportstatus',
  'message',
  'reportid',
  'id',
];

/** What stands beside the rows, and in the answers on the way to them. */
export interface SaidMembers {
  readonly members: Readonly<Record<string, unknown>>;

  /** The paths of those that were understood. */
  readonly understood: ReadonlySet<string>;

  /** The answers to the order and to the questions for the status. */
  readonly records: readonly unknown[];
}

/**
 * Notes, in one line, what the service says that is not known: on stderr what is true, or is called
 * a message.
 */
export function noteMembers({ members, understood, records }: SaidMembers, sayings: Sayings): void {
  const leaves = new Map<string, unknown>();
  collect(leaves, [], members, (path) => {
    const isOfSummary = path.length === 2 && path[0] === 'summary';
    return (
      understood.has(path.join('.')) || (isOfSummary && knownInSummary.includes(path[1] ?? ''))
    );
  });
  for (const record of records) {
    collect(leaves, [], record, (path) => knownInRecords.includes(plain(path.at(-1) ?? '')));
  }
  if (leaves.size === 0) return;

  const all = [...leaves];
  const brief = all.filter(([path, value]) => {
    return value === true || path.split('.').some((name) => messageForm.test(plain(name)));
  });
  sayings.note('beside the rows', lineOf(all), {
    brief: brief.length === 0 ? '' : lineOf(brief),
  });
}

function lineOf(leaves: readonly (readonly [path: string, value: unknown])[]): string {
  const texts: string[] = [];
  let left = serviceTextAtMost;
  for (const [path, value] of leaves) {
    if (left <= 0) break;
    const text = shortened(`${path}: ${valueText(value)}`, left);
    texts.push(printable(text));
    left -= text.length;
  }
  const more = leaves.length > texts.length ? ` and ${leaves.length - texts.length} more` : '';
  return `The answer also says: ${texts.join(', ')}${more}`;
}

/** Takes the values that say something, by their paths; lists as one value. */
function collect(
  leaves: Map<string, unknown>,
  path: readonly string[],
  value: unknown,
  isKnown: (path: readonly string[]) => boolean,
): void {
  if (!saysSomething(value) || isKnown(path)) return;
  if (!isObject(value) || path.length > levelsAtMost) {
    if (path.length > 0) leaves.set(path.join('.'), value);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    // What the answers to orders are wrapped in says nothing itself.
    const isWrapping = path.length === 0 && name === 'response' && isObject(member);
    collect(leaves, isWrapping ? [] : [...path, name], member, isKnown);
  }
}

/** What the answer to an order says: for who asks for nothing but the id of a report. */
export function judgeOrder(records: readonly unknown[], takenId: string | undefined): Judgement {
  const sayings = new Sayings();
  if (takenId !== undefined) sayings.find('beside the rows', idOfOther(takenId));
  noteMembers({ members: {}, understood: new Set(), records }, sayings);
  return sayings;
}
