import { text } from 'node:stream/consumers';
import type { ReportRequest } from '../../src/contract/messages.ts';
import { encodeJson } from '../../src/server/encode-report.ts';
import { computeReport, type ReportInput } from '../../src/server/engine.ts';
import type { Account, Fixtures } from '../../src/server/fixtures/fixtures.ts';
import type { PlainRequest, Row } from './reference-report.ts';

/** The optional part of a report's input. */
type Moment = Partial<Pick<ReportInput, 'nowMs' | 'restateDays' | 'signal'>>;

/** The report as JSON, from the server's engine. */
export function reportJson(
  fixtures: Fixtures,
  account: Account,
  request: PlainRequest,
  moment: Moment = {},
) {
  const whole = { filters: {}, ...request } as ReportRequest;
  const input = { fixtures, account, request: whole, nowMs: 0, restateDays: 0, ...moment };
  return text(encodeJson(computeReport(input)));
}

export async function reportRows(...report: Parameters<typeof reportJson>): Promise<Row[]> {
  return JSON.parse(await reportJson(...report)).data;
}

/** The account with that name. */
export function accountOf(fixtures: Fixtures, name: string): Account {
  const account = fixtures.accounts.find((candidate) => candidate.name === name);
  if (!account) throw new Error(`No account ${name}.`);
  return account;
}

/** Unix seconds of an ISO 8601 time. */
export function seconds(time: string): number {
  return Date.parse(time) / 1_000;
}

/** The sum of a metric over rows; money is in whole cents. */
export function total(rows: readonly Row[], field: string): number {
  const unit = field.startsWith('revenue') || field === 'valueDollar' ? 100 : 1;
  return rows.reduce(
    (sum, row) => sum + Math.round(Number(String(row[field] ?? 0).replace(',', '.')) * unit),
    0,
  );
}
