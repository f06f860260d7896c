import type { CheckResult } from '../errors.ts';
import { isObject } from '../text/json-object.ts';
import { printable, serviceTextAtMost, shortened } from '../text/printable.ts';
import { plain, saysSomething, valueText } from './beside-rows.ts';
import { CheckMessages } from './row-check.ts';

/** The warning for an id that the service had already given to another request. */
export function reusedIdText(id: string): string {
  return `The service answered the order with the ID of a different request's report: ${printable(id)}.`;
}

/** Members nested deeper are shown as JSON. */
const levelsAtMost = 6;

/** Names of members that are meant for people. */
const messageForm = /^(?:warning|notice|message)s?$/;

/** Members that the specification describes or that say nothing about the rows. */
const knownInSummary: readonly string[] = ['since', 'until', 'breakdowns', 'timezone'];
const knownInRecords: readonly string[] = [
  'status',
  'state',
  'reportstatus',
  'message',
  'reportid',
  'id',
];

/** The members next to the rows, and the answers before them. */
export interface ExtraMembers {
  readonly members: Readonly<Record<string, unknown>>;

  /** The paths of members that a check has understood. */
  readonly understood: ReadonlySet<string>;

  /** The answers to the order and to the status calls. */
  readonly records: readonly unknown[];
}

/**
 * Notes all unknown members in one line. The brief line for stderr has those that are `true` or are
 * called a message.
 */
export function noteMembers(
  { members, understood, records }: ExtraMembers,
  messages: CheckMessages,
): void {
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
  messages.addNote('beside the rows', lineOf(all), {
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
  return `The response also contains ${texts.join(', ')}${more}`;
}

/** Collects values that say something by path; a list is one value. */
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
    // Answers to orders are wrapped in `response`.
    const isWrapping = path.length === 0 && name === 'response' && isObject(member);
    collect(leaves, isWrapping ? [] : [...path, name], member, isKnown);
  }
}

/** Checks the answer to a creation, for callers that only need the report's id. */
export function checkCreation(
  records: readonly unknown[],
  takenId: string | undefined,
): CheckResult {
  const messages = new CheckMessages();
  if (takenId !== undefined) messages.addWarning('beside the rows', reusedIdText(takenId));
  noteMembers({ members: {}, understood: new Set(), records }, messages);
  return messages;
}
