import { type CampaignList, knownOutcomeOf } from '../contract/messages.ts';
import type { CheckResult } from '../errors.ts';
import type { ReportMember } from '../rows/row-batch.ts';
import { isObject } from '../text/json-object.ts';
import { printable, truncate } from '../text/printable.ts';
import { CheckMessages } from './check.ts';

// Names are compared by their letters only, ignoring case: `hasMore` equals `has_more`.

const errorNames: readonly string[] = ['error', 'errors'];
const moreNames: readonly string[] = ['next', 'hasmore', 'partial', 'truncated'];

/** Keys that adreport reads or that the specification describes. */
const knownNames: readonly string[] = [
  ...errorNames,
  ...moreNames,
  'status',
  'reportid',
  'summary',
  'response',
];
const knownInSummary: readonly string[] = ['since', 'until', 'breakdowns', 'timezone'];

/** A document with rows or campaigns. */
interface CheckedDocument {
  /** Subject of a sentence in messages: `The report`. */
  readonly subject: string;
  readonly document: unknown;

  /** Whether the response has status 206. */
  readonly isPartial: boolean;
}

/** Maximum depth of nested objects to search. */
const maxLevels = 20;

/**
 * Finds keys of a document that contradict its rows: an error, or a sign that the report is
 * unfinished or incomplete. All unknown keys become one note.
 *
 * @param isPartial whether the response has status 206
 */
export function checkOutsideRows(
  members: readonly ReportMember[],
  isPartial: boolean,
  messages: CheckMessages,
): void {
  const document = Object.fromEntries(
    members.map(({ name, json }): [string, unknown] => [name, JSON.parse(json.toString())]),
  );
  addWarnings({ subject: 'The report', document, isPartial }, messages);

  const unknown = findUnknown(document);
  if (unknown.length === 0) return;
  const names = printable(truncate(unknown.join(', ')));
  messages.addNote('outside the rows', `The response also contains ${names}.`);
}

/**
 * Adds a warning if a campaign list is marked as incomplete, because a pattern would miss
 * campaigns.
 */
export function checkCampaigns({ document, isPartial }: CampaignList): CheckResult {
  const messages = new CheckMessages();
  addWarnings({ subject: 'The campaign list', document, isPartial }, messages);
  return messages;
}

function addWarnings(checked: CheckedDocument, messages: CheckMessages): void {
  const { subject, document, isPartial } = checked;
  const warn = (message: string): void => messages.addWarning('outside the rows', message);
  if (isPartial) warn(`${subject} is incomplete: the service responded with status 206.`);

  for (const member of listMembers(document)) {
    const warning = judgeMember(subject, member);
    if (warning !== undefined) warn(warning);
  }
}

interface Member {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Yields all keys of nested objects and lists. */
function* listMembers(value: unknown, path: readonly string[] = []): Generator<Member> {
  if (typeof value !== 'object' || value === null || path.length > maxLevels) return;

  for (const [name, member] of Object.entries(value)) {
    const memberPath = [...path, name];
    yield { path: memberPath, value: member };
    yield* listMembers(member, memberPath);
  }
}

/** Returns a warning if a key shows that the report is not complete. */
function judgeMember(subject: string, { path, value }: Member): string | undefined {
  const name = toPlainName(path.at(-1) ?? '');
  const json = printable((JSON.stringify(value) ?? '').slice(0, 150));
  const member = `${printable(path.join('.'))}: ${json}`;

  if (errorNames.includes(name) && isMeaningful(value)) {
    return `${subject} came with an error (${member}).`;
  }
  if (moreNames.includes(name) && (isTrue(value) || isLink(value))) {
    return `${subject} is incomplete: the response has ${member}.`;
  }
  // At any other path, it may be the status of a campaign.
  const isReportStatus = path.length === 1 || path[0] === 'response';
  if (name !== 'status' || !isReportStatus || typeof value !== 'string') return undefined;
  const outcome = knownOutcomeOf(value);
  const isUnready = outcome === 'progress' || outcome === 'failed';
  return isUnready ? `${subject} is not ready: the response has ${member}.` : undefined;
}

/** Lists unknown keys of a document and its summary, except those with empty values. */
function findUnknown({ summary, ...members }: Readonly<Record<string, unknown>>): string[] {
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (!knownNames.includes(toPlainName(name)) && isMeaningful(value)) unknown.push(name);
  }
  for (const [name, value] of Object.entries(isObject(summary) ? summary : {})) {
    if (!knownInSummary.includes(name) && isMeaningful(value)) unknown.push(name);
  }
  return unknown;
}

/** Reduces a name to its letters, in lower case. */
function toPlainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^true$/i.test(value));
}

/** Accepts URLs, paths and queries, including inside an object (`{"href": "/page/2"}`). */
function isLink(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).some(isLink);
  return typeof value === 'string' && /^(?:https?:|[/?])/i.test(value.trim());
}

const emptyStatusPattern =
  /^\s*(?:|0|ok|no|none|null|false|no errors?|success|successful)[.!]?\s*$/i;

/**
 * Whether a value says something. 0, `ok` and `no errors` do not, nor do lists and objects of such
 * values.
 */
function isMeaningful(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isMeaningful);
  if (typeof value === 'string') return !emptyStatusPattern.test(value);
  return value !== null && value !== undefined && value !== false && value !== 0;
}
