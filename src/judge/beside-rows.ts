import { metricOfField } from '../contract/columns.ts';
import { knownOutcomeOf } from '../contract/messages.ts';
import { numberTextOf } from '../contract/values.ts';
import { Decimal } from '../text/decimal.ts';
import { isObject } from '../text/json-object.ts';
import { printable } from '../text/printable.ts';
import { formatCount } from '../text/quantity.ts';
import type { Sayings } from './check.ts';
import type { MetricValues } from './metric-values.ts';

// Names are compared in lower case and by their letters alone: `hasMore`, `has_more`.

/** Objects beside the rows whose members speak of these rows. */
const envelopeForm = /^(?:meta(?:data)?|summary|response|data|info|links?|paging|pagination|page)$/;
const totalsForm = /^(?:grand)?(?:totals?|sums?)$/;

/** Envelopes stand in each other so deep at most. */
const envelopesAtMost = 3;

const errorForm = /^errors?$/;
const moreForm = /^(?:hasmore|partial|truncated)$/;
const statusForm = /^(?:report)?(?:status|state)$/;
const countForm = /^(?:rowcount|rowscount|nbrows|numberofrows|totalrows)$/;

/** In a list of campaigns these count the campaigns. */
const listCountForm = /^total(?:count)?$/;
const pageCountForm = /^(?:pages|totalpages|pagecount|lastpage)$/;

/** Rows, or campaigns, and what stands beside them. */
export interface RowsWithMembers {
  /** What a sentence calls them: `The report`. */
  readonly subject: string;

  readonly members: Readonly<Record<string, unknown>>;

  readonly rowCount: number;

  /** Those of a report; absent for a list of campaigns. */
  readonly metrics?: readonly MetricValues[];

  /** Whether the answer is a part of what was asked for (206). */
  readonly isPart: boolean;

  /** Whether its header `Link` names a next page. */
  readonly hasNextLink: boolean;

  /** How many rows the answer's header `X-Total-Count` counts. */
  readonly countInHeader?: number | undefined;

  /** Whether the service has given the id to another request; absent where no id is known. */
  readonly isOfOtherRequest?: ((reportId: string) => boolean) | undefined;
}

/**
 * Finds what an answer says of its rows that cannot be true. @returns the paths of the members that
 * were understood
 */
export function judgeBesideRows(answer: RowsWithMembers, sayings: Sayings): ReadonlySet<string> {
  const { subject, isPart, hasNextLink, countInHeader, rowCount } = answer;
  if (isPart)
    sayings.find(
      'beside the rows',
      `${subject} is a part only of what was asked for: the service says 206.`,
    );
  if (hasNextLink)
    sayings.find(
      'beside the rows',
      `${subject} goes on elsewhere: the service says Link: rel=next.`,
    );
  if (countInHeader !== undefined && countInHeader !== rowCount) {
    sayings.find('beside the rows', countText(answer, `X-Total-Count: ${countInHeader}`));
  }

  const understood = new Set<string>();
  judgeMembers(answer, { path: [], members: answer.members }, understood, sayings);
  return understood;
}

/** Some members, and the names of the objects that they stand in. */
interface Envelope {
  readonly path: readonly string[];
  readonly members: object;
}

function judgeMembers(
  answer: RowsWithMembers,
  { path, members }: Envelope,
  understood: Set<string>,
  sayings: Sayings,
): void {
  for (const [name, value] of Object.entries(members)) {
    const memberPath = [...path, name];
    if (judgeMember(answer, memberPath, value, sayings)) understood.add(memberPath.join('.'));

    const isEnvelope = envelopeForm.test(plain(name)) || totalsForm.test(plain(name));
    if (!isEnvelope || !isObject(value) || memberPath.length > envelopesAtMost) continue;
    judgeMembers(answer, { path: memberPath, members: value }, understood, sayings);
  }
}

/** @returns whether the member is of the table, true or not */
function judgeMember(
  answer: RowsWithMembers,
  path: readonly string[],
  value: unknown,
  sayings: Sayings,
): boolean {
  const { subject, rowCount, metrics } = answer;
  const name = plain(path.at(-1) ?? '');
  const said = `${printable(path.join('.'))}: ${valueText(value)}`;

  if (errorForm.test(name)) {
    if (saysSomething(value)) {
      sayings.find('beside the rows', `${subject} comes with an error beside its rows: ${said}.`);
    }
    return true;
  }
  if (name === 'next') {
    if (saysSomething(value))
      sayings.find('beside the rows', `${subject} goes on elsewhere, it says: ${said}.`);
    return true;
  }
  if (moreForm.test(name)) {
    const isTrue = value === true || String(value).toLowerCase() === 'true';
    if (isTrue) sayings.find('beside the rows', `${subject} says that it is not whole: ${said}.`);
    return isTrue || !saysSomething(value);
  }
  if (statusForm.test(name) && typeof value === 'string') {
    const outcome = knownOutcomeOf(value);
    if (outcome === 'progress' || outcome === 'failed') {
      sayings.find('beside the rows', `${subject} says that it is not ready: ${said}.`);
    }
    return outcome !== undefined;
  }
  if (name === 'reportid') {
    const id = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
    if (id !== '' && answer.isOfOtherRequest?.(id)) {
      sayings.find('beside the rows', `The service sent the report of another request: ${said}.`);
    }
    return true;
  }
  if (metrics === undefined && pageCountForm.test(name) && Number(value) > 1) {
    sayings.find('beside the rows', `${subject} is one page of several: ${said}.`);
    return true;
  }

  const text = numberTextOf(value);
  const number = text === undefined ? undefined : Decimal.parse(text);
  if (!number) return false;
  const isCount = countForm.test(name) || (metrics === undefined && listCountForm.test(name));
  if (isCount) {
    const isOther = number.minus(new Decimal(BigInt(rowCount), 0)).sign !== 0;
    if (isOther) sayings.find('beside the rows', countText(answer, said));
    return true;
  }
  return judgeTotal(answer, path, number, sayings);
}

function countText({ subject, rowCount }: RowsWithMembers, said: string): string {
  const rows = formatCount(rowCount);
  return `${subject} says that it has another number of rows than the ${rows} that came: ${said}.`;
}

/** A total that the document names for an asked metric. @returns whether it is one */
function judgeTotal(
  { subject, metrics = [], rowCount }: RowsWithMembers,
  path: readonly string[],
  total: Decimal,
  sayings: Sayings,
): boolean {
  const container = plain(path.at(-2) ?? '');
  if (container !== 'summary' && !totalsForm.test(container)) return false;

  const name = path.at(-1) ?? '';
  const metric =
    metrics.find(({ column }) => column.field === name) ??
    metrics.find(({ column }) => column.metric === metricOfField(name)?.name);
  if (!metric?.hasColumn) return false;

  const sum = metric.sum.value;
  // Half a cent a row, and half a cent for the total itself.
  const allowed = new Decimal(metric.column.type === 'money' ? 5n * BigInt(rowCount + 1) : 0n, 3);
  const difference = total.minus(sum);
  const size = difference.sign < 0 ? sum.minus(total) : difference;
  if (size.minus(allowed).sign > 0) {
    sayings.find(
      'beside the rows',
      `${subject} names another total than its rows have: ${printable(path.join('.'))} ${total} instead of ${sum}.`,
    );
  }
  return true;
}

/** A name in lower case, and by its letters alone. */
export function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

const nothingForm = /^\s*(?:|0|ok|no|none|null|false|no errors?|success|successful)[.!]?\s*$/i;

/** Whether a value says that there is something: an object by its leaves. */
export function saysSomething(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(saysSomething);
  if (typeof value === 'string') return !nothingForm.test(value);
  return value !== null && value !== undefined && value !== false && value !== 0;
}

/** A value as JSON, on one line and shortened. */
export function valueText(value: unknown): string {
  return printable((JSON.stringify(value) ?? '').slice(0, 150));
}
