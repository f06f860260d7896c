import { type CampaignList, knownOutcomeOf, type ResponseFacts } from '../contract/messages.ts';
import type { CheckResult } from '../errors.ts';
import { isObject } from '../text/json-object.ts';
import { maxServiceText, printable, shortened } from '../text/printable.ts';
import { CheckMessages } from './row-check.ts';

// Names are compared by their letters, in lower case: `hasMore` and `has_more` are the same.

/** Objects whose members are about the rows. */
const envelopeForm = /^(?:meta(?:data)?|summary|response|data|info|links?|paging|pagination|page)$/;

/** Levels of nested envelopes. */
const maxEnvelopes = 3;

/** Members nested deeper are noted as JSON. */
const maxLevels = 6;

const errorForm = /^errors?$/;
const moreForm = /^(?:hasmore|partial|truncated)$/;
const statusForm = /^(?:report)?(?:status|state)$/;

/** Names of members that are meant for people. */
const messageForm = /^(?:warning|notice|message)s?$/;

/** Members that the specification describes. */
const knownInSummary: readonly string[] = ['since', 'until', 'breakdowns', 'timezone'];
const knownInRecords: readonly string[] = [
  'status',
  'state',
  'reportstatus',
  'message',
  'reportid',
  'id',
];

/** Rows or campaigns, with the other members of their document. */
export interface RowsWithMembers extends Pick<ResponseFacts, 'isPart' | 'hasNextLink'> {
  /** Subject of the messages: `The report`. */
  readonly subject: string;

  readonly members: Readonly<Record<string, unknown>>;

  /** Responses to the create and the status calls. */
  readonly records?: readonly unknown[];

  /** Checks whether the service has given the id to another request; absent if no ids are known. */
  readonly belongsToOtherRequest?: ((reportId: string) => boolean) | undefined;
}

/**
 * Finds a response that says it is incomplete, not ready, of another request or has an error. Notes
 * all unknown members of the document and the records in one line; the brief line for stderr has
 * those that are `true` or are called a message.
 */
export function checkOutsideRows(answer: RowsWithMembers, messages: CheckMessages): void {
  const { subject, isPart, hasNextLink, members, records = [] } = answer;
  const warn = (message: string): void => messages.addWarning('outside the rows', message);
  if (isPart)
    warn(`${subject} is incomplete: the service answered with status 206 (partial content).`);
  if (hasNextLink) warn(`${subject} is incomplete: the response's Link header has rel=next.`);

  const unknown = new Map<string, unknown>();
  collectUnknown(unknown, [], members, (path, value) => {
    const warning = warningFor(answer, path, value);
    if (warning !== undefined) warn(warning);
    return warning !== undefined || isKnownMember(path, value);
  });
  for (const record of records) {
    collectUnknown(unknown, [], record, (path) =>
      knownInRecords.includes(plain(path.at(-1) ?? '')),
    );
  }
  if (unknown.size > 0) noteUnknown([...unknown], messages);
}

/** Finds a campaign list that is incomplete or has an error: filters would miss campaigns. */
export function checkCampaigns(list: CampaignList): CheckResult {
  const messages = new CheckMessages();
  const members = isObject(list.answer) ? list.answer : {};
  checkOutsideRows({ ...list, subject: 'The campaign list', members }, messages);
  return messages;
}

/** Checks the response to a creation, for callers that only need the report's id. */
export function checkCreation(
  records: readonly unknown[],
  takenId: string | undefined,
): CheckResult {
  const messages = new CheckMessages();
  if (takenId !== undefined) messages.addWarning('outside the rows', reusedIdMessage(takenId));
  const nothing = { subject: '', members: {}, isPart: false, hasNextLink: false };
  checkOutsideRows({ ...nothing, records }, messages);
  return messages;
}

/** For an id that the service had already given to another request. */
export function reusedIdMessage(id: string): string {
  return `The service returned report ID ${printable(id)}, which belongs to a different request.`;
}

/** Returns a warning for a member of the document that contradicts the rows. */
function warningFor(
  { subject, belongsToOtherRequest }: RowsWithMembers,
  path: readonly string[],
  value: unknown,
): string | undefined {
  const envelopes = path.slice(0, -1);
  const isAboutRows =
    envelopes.length <= maxEnvelopes && envelopes.every((name) => envelopeForm.test(plain(name)));
  if (!isAboutRows || !isMeaningful(value)) return undefined;

  const name = plain(path.at(-1) ?? '');
  const member = `${printable(path.join('.'))}: ${valueText(value)}`;
  if (errorForm.test(name)) return `${subject} came with an error (${member}).`;

  const isTrue = value === true || (typeof value === 'string' && /^true$/i.test(value));
  if (name === 'next' || (moreForm.test(name) && isTrue)) {
    return `${subject} is incomplete: the response has ${member}.`;
  }
  if (statusForm.test(name) && typeof value === 'string') {
    const outcome = knownOutcomeOf(value);
    const isUnready = outcome === 'progress' || outcome === 'failed';
    if (isUnready) return `${subject} is not ready: the response has ${member}.`;
  }
  const isId = name === 'reportid' && (typeof value === 'string' || typeof value === 'number');
  if (isId && belongsToOtherRequest?.(String(value).trim())) {
    return `The service sent the report of a different request: ${member}.`;
  }
  return undefined;
}

function isKnownMember(path: readonly string[], value: unknown): boolean {
  const [first, second = ''] = path;
  if (path.length === 2 && first === 'summary' && knownInSummary.includes(second)) return true;

  const name = plain(path.at(-1) ?? '');
  if (name === 'reportid') return true;
  const isState = statusForm.test(name) && typeof value === 'string';
  return isState && knownOutcomeOf(value) !== undefined;
}

/** Collects unknown values that say something by path; a list is one value. */
function collectUnknown(
  unknown: Map<string, unknown>,
  path: readonly string[],
  value: unknown,
  isKnown: (path: readonly string[], value: unknown) => boolean,
): void {
  if (!isMeaningful(value) || isKnown(path, value)) return;
  if (!isObject(value) || path.length > maxLevels) {
    if (path.length > 0) unknown.set(path.join('.'), value);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    // Responses to creations are wrapped in `response`.
    const isWrapping = path.length === 0 && name === 'response' && isObject(member);
    collectUnknown(unknown, isWrapping ? [] : [...path, name], member, isKnown);
  }
}

type Member = readonly [path: string, value: unknown];

function noteUnknown(members: readonly Member[], messages: CheckMessages): void {
  const brief = members.filter(([path, value]) => {
    return value === true || path.split('.').some((name) => messageForm.test(plain(name)));
  });
  messages.addNote('outside the rows', listMembers(members), {
    brief: brief.length === 0 ? '' : listMembers(brief),
  });
}

function listMembers(members: readonly Member[]): string {
  const listed: string[] = [];
  let left = maxServiceText;
  for (const [path, value] of members) {
    if (left <= 0) break;
    const text = shortened(`${path}: ${valueText(value)}`, left);
    listed.push(printable(text));
    left -= text.length;
  }
  const more = members.length > listed.length ? ` and ${members.length - listed.length} more` : '';
  return `The response also contains ${listed.join(', ')}${more}`;
}

/** Keeps only letters, in lower case. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

const nothingForm = /^\s*(?:|0|ok|no|none|null|false|no errors?|success|successful)[.!]?\s*$/i;

/**
 * Rejects values that mean “nothing”, such as 0, `ok` or `no errors`. In objects, any leaf counts.
 */
function isMeaningful(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isMeaningful);
  if (typeof value === 'string') return !nothingForm.test(value);
  return value !== null && value !== undefined && value !== false && value !== 0;
}

/** Formats as JSON, printable and shortened. */
function valueText(value: unknown): string {
  return printable((JSON.stringify(value) ?? '').slice(0, 150));
}
