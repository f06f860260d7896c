import { metricOfField } from '../contract/columns.ts';
import { type AnswerFacts, knownOutcomeOf } from '../contract/messages.ts';
import { numberTextOf } from '../contract/values.ts';
import { Decimal } from '../text/decimal.ts';
import { isObject } from '../text/json-object.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import type { MetricValues } from './metric-values.ts';
import type { CheckMessages } from './row-check.ts';

// Names are compared by their letters, in lower case: `hasMore` and `has_more` are the same.

/** Objects whose members are about these rows. */
const envelopeForm = /^(?:meta(?:data)?|summary|response|data|info|links?|paging|pagination|page)$/;
const totalsForm = /^(?:grand)?(?:totals?|sums?)$/;

/** How deep envelopes may be nested. */
const envelopesAtMost = 3;

const errorForm = /^errors?$/;
const moreForm = /^(?:hasmore|partial|truncated)$/;
const statusForm = /^(?:report)?(?:status|state)$/;
const countForm = /^(?:rowcount|rowscount|nbrows|numberofrows|totalrows)$/;

/** Members of a campaign list that count the campaigns. */
const listCountForm = /^total(?:count)?$/;
const pageCountForm = /^(?:pages|totalpages|pagecount|lastpage)$/;

/** Rows or campaigns, with the other members of their document. */
export interface RowsWithMembers extends Pick<AnswerFacts, 'isPart' | 'hasNextLink'> {
  /** Subject of the messages: `The report`. */
  readonly subject: string;

  readonly members: Readonly<Record<string, unknown>>;

  readonly rowCount: number;

  /** The report's metrics; absent for a campaign list. */
  readonly metrics?: readonly MetricValues[];

  /** The value of the `X-Total-Count` header. */
  readonly countInHeader?: number | undefined;

  /** True if the service has given the id to another request; absent if no ids are known. */
  readonly isOfOtherRequest?: ((reportId: string) => boolean) | undefined;
}

/** Finds members that contradict the rows. Returns the paths of the members it understood. */
export function checkBesideRows(
  answer: RowsWithMembers,
  messages: CheckMessages,
): ReadonlySet<string> {
  const { subject, isPart, hasNextLink, countInHeader, rowCount } = answer;
  if (isPart)
    messages.addWarning(
      'beside the rows',
      `${subject} is incomplete: the service answered with status 206 (partial content).`,
    );
  if (hasNextLink)
    messages.addWarning(
      'beside the rows',
      `${subject} is incomplete: the response's Link header has rel=next.`,
    );
  if (countInHeader !== undefined && countInHeader !== rowCount) {
    messages.addWarning('beside the rows', countText(answer, `X-Total-Count: ${countInHeader}`));
  }

  const understood = new Set<string>();
  checkMembers(answer, { path: [], members: answer.members }, understood, messages);
  return understood;
}

/** Members, with the path of the object that contains them. */
interface Envelope {
  readonly path: readonly string[];
  readonly members: object;
}

function checkMembers(
  answer: RowsWithMembers,
  { path, members }: Envelope,
  understood: Set<string>,
  messages: CheckMessages,
): void {
  for (const [name, value] of Object.entries(members)) {
    const memberPath = [...path, name];
    if (checkMember(answer, memberPath, value, messages)) understood.add(memberPath.join('.'));

    const isEnvelope = envelopeForm.test(plain(name)) || totalsForm.test(plain(name));
    if (!isEnvelope || !isObject(value) || memberPath.length > envelopesAtMost) continue;
    checkMembers(answer, { path: memberPath, members: value }, understood, messages);
  }
}

/** Checks one member. Returns true if it was understood, whether or not there is a warning. */
function checkMember(
  answer: RowsWithMembers,
  path: readonly string[],
  value: unknown,
  messages: CheckMessages,
): boolean {
  const { subject, rowCount, metrics } = answer;
  const name = plain(path.at(-1) ?? '');
  const member = `${printable(path.join('.'))}: ${valueText(value)}`;

  if (errorForm.test(name)) {
    if (saysSomething(value)) {
      messages.addWarning('beside the rows', `${subject} came with an error (${member}).`);
    }
    return true;
  }
  if (name === 'next') {
    if (saysSomething(value))
      messages.addWarning(
        'beside the rows',
        `${subject} is incomplete: the response has ${member}.`,
      );
    return true;
  }
  if (moreForm.test(name)) {
    const isTrue = value === true || String(value).toLowerCase() === 'true';
    if (isTrue)
      messages.addWarning(
        'beside the rows',
        `${subject} is incomplete: the response has ${member}.`,
      );
    return isTrue || !saysSomething(value);
  }
  if (statusForm.test(name) && typeof value === 'string') {
    const outcome = knownOutcomeOf(value);
    if (outcome === 'progress' || outcome === 'failed') {
      messages.addWarning(
        'beside the rows',
        `${subject} is not ready: the response has ${member}.`,
      );
    }
    return outcome !== undefined;
  }
  if (name === 'reportid') {
    const id = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
    if (id !== '' && answer.isOfOtherRequest?.(id)) {
      messages.addWarning(
        'beside the rows',
        `The service sent the report of a different request: ${member}.`,
      );
    }
    return true;
  }
  if (metrics === undefined && pageCountForm.test(name) && Number(value) > 1) {
    messages.addWarning('beside the rows', `${subject} is one page of several: ${member}.`);
    return true;
  }

  const text = numberTextOf(value);
  const number = text === undefined ? undefined : Decimal.parse(text);
  if (!number) return false;
  const isCount = countForm.test(name) || (metrics === undefined && listCountForm.test(name));
  if (isCount) {
    const isOther = number.minus(new Decimal(BigInt(rowCount), 0)).sign !== 0;
    if (isOther) messages.addWarning('beside the rows', countText(answer, member));
    return true;
  }
  return checkTotal(answer, path, number, messages);
}

function countText({ subject, rowCount, metrics }: RowsWithMembers, claim: string): string {
  const count = formatPlural(rowCount, metrics === undefined ? 'campaign' : 'row');
  return `${subject} has ${count}, but the response says ${claim}.`;
}

/** Compares a total of a requested metric with its rows. Returns true if the member is one. */
function checkTotal(
  { subject, metrics = [], rowCount }: RowsWithMembers,
  path: readonly string[],
  total: Decimal,
  messages: CheckMessages,
): boolean {
  const container = plain(path.at(-2) ?? '');
  if (container !== 'summary' && !totalsForm.test(container)) return false;

  const name = path.at(-1) ?? '';
  const metric =
    metrics.find(({ column }) => column.field === name) ??
    metrics.find(({ column }) => column.metric === metricOfField(name)?.name);
  if (!metric?.hasColumn) return false;

  const sum = metric.sum.value;
  // Half a cent per row, and half a cent for the total itself.
  const allowed = new Decimal(metric.column.type === 'money' ? 5n * BigInt(rowCount + 1) : 0n, 3);
  const difference = total.minus(sum);
  const size = difference.sign < 0 ? sum.minus(total) : difference;
  if (size.minus(allowed).sign > 0) {
    messages.addWarning(
      'beside the rows',
      `${subject} has a total that differs from its rows: ${printable(path.join('.'))} is ${total}, the rows add up to ${sum}.`,
    );
  }
  return true;
}

/** The letters of a name, in lower case. */
export function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

const nothingForm = /^\s*(?:|0|ok|no|none|null|false|no errors?|success|successful)[.!]?\s*$/i;

/** True unless the value means “nothing”, such as 0, `ok` or `no errors`. Objects: any leaf. */
export function saysSomething(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(saysSomething);
  if (typeof value === 'string') return !nothingForm.test(value);
  return value !== null && value !== undefined && value !== false && value !== 0;
}

/** A value as JSON, printable and shortened. */
export function valueText(value: unknown): string {
  return printable((JSON.stringify(value) ?? '').slice(0, 150));
}
