import { createHash } from 'node:crypto';
import { UsageError } from '../errors.ts';
import { differencesOf, hashOfQuestion, type Question } from '../report/question.ts';
import type { OrderLine } from './forms.ts';

/**
 * The exact sum of each metric, as a decimal number in text:
 * `{ displays: "1204", revenueEuro: "12.50" }`.
 */
export type Totals = Readonly<Record<string, string>>;

/** The sums that are not what they were when the file was written before, each with both values. */
export type Changes = Readonly<Record<string, readonly [before: string, after: string]>>;

/**
 * A line takes this many bytes at most, its line break included, so that one write puts it there
 * whole.
 */
export const lineBytesAtMost = 64 * 1024;

/**
 * What an order says beside its question: the place, the window and the lookback, as they were
 * typed.
 */
export type OrderTerms = Pick<
  OrderLine,
  'output' | 'split' | 'period' | 'since' | 'until' | 'lookback'
>;

/** Who writes an order, and when, which no reader holds it to. */
export interface OrderMark {
  readonly atMs: number;

  /** The version of this program. */
  readonly version: string;
}

/**
 * The order line of a question.
 *
 * @throws UsageError where the line would be longer than 64 KB
 */
export function orderLine(question: Question, terms: OrderTerms, mark: OrderMark): OrderLine {
  const { request, timezone, format, account, service, windowClock } = question;
  const { output, split, period, since, until, lookback } = terms;
  const identity = {
    content: hashOfQuestion(question),
    request,
    timezone,
    format,
    output,
    split,
    period,
    since,
    until,
    lookback,
    account,
    service,
    windowClock,
  };
  const order = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
  const at = new Date(mark.atMs).toISOString();
  const line = { books: 1 as const, order, ...identity, at, adreport: mark.version };

  if (Buffer.byteLength(JSON.stringify(line)) < lineBytesAtMost) return line;
  throw new UsageError('The books have no room for this request.', {
    hint: 'Use shorter lists of filters, or leave the books out with --no-books.',
  });
}

/** The question that an order asks. */
function questionOfOrder(order: OrderLine): Question {
  const { request, format, timezone, account, service, windowClock } = order;
  return { request, format, timezone, account, service, windowClock };
}

/**
 * What differs between what the files of two orders hold, a text each: `country: FR → DE`,
 * `split: day → week`.
 */
export function differencesOfOrders(booked: OrderLine, asked: OrderLine): string[] {
  const differences = differencesOf(questionOfOrder(booked), questionOfOrder(asked));
  if (booked.split === asked.split) return differences;
  return [...differences, `split: ${booked.split ?? 'none'} → ${asked.split ?? 'none'}`];
}

/** The totals that differ, each with its value before and now; `undefined` where none does. */
export function changesBetween(before: Totals, now: Totals): Changes | undefined {
  const changes: Record<string, readonly [string, string]> = {};

  for (const [metric, value] of Object.entries(now)) {
    const old = Object.hasOwn(before, metric) ? before[metric] : undefined;
    if (old !== undefined && old !== value) changes[metric] = [old, value];
  }
  return Object.keys(changes).length > 0 ? changes : undefined;
}

/**
 * The metrics whose total was above 1,000 and has fallen by half or more, which is seldom a
 * correction.
 */
export function fallsIn(before: Totals, now: Totals): string[] {
  const changes = Object.entries(changesBetween(before, now) ?? {});
  const falls = changes.filter(([, [old, value]]) => {
    return Number(old) > 1_000 && Number(value) <= Number(old) / 2;
  });
  return falls.map(([metric]) => metric);
}
