import type { ReportRequest } from '../../src/contract/messages.ts';
import { encodeJson } from '../../src/server/delivery.ts';
import { computeReport } from '../../src/server/engine.ts';
import type { Account, Fixtures } from '../../src/server/fixtures/fixtures.ts';
import type { PlainRequest, Row } from './reference-report.ts';

/** What a test may leave open of the moment at which a report is computed. */
export interface Moment {
  readonly nowMs?: number;
  readonly restateDays?: number;
  readonly signal?: AbortSignal;
}

function tableOf(fixtures: Fixtures, account: Account, request: PlainRequest, moment: Moment) {
  return computeReport(fixtures, account, { filters: {}, ...request } as ReportRequest, {
    nowMs: 0,
    restateDays: 0,
    ...moment,
  });
}

async function joined(pieces: AsyncGenerator<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

/** The report as the server writes it. */
export function reportJson(fixtures: Fixtures, account: Account, request: PlainRequest, moment: Moment = {}) {
  return joined(encodeJson(tableOf(fixtures, account, request, moment)));
}

export async function reportRows(
  fixtures: Fixtures,
  account: Account,
  request: PlainRequest,
  moment: Moment = {},
): Promise<Row[]> {
  return JSON.parse(await reportJson(fixtures, account, request, moment)).data;
}

/** The account of that name. */
export function accountOf(fixtures: Fixtures, name: string): Account {
  const account = fixtures.accounts.find((candidate) => candidate.name === name);
  if (!account) throw new Error(`There is no account ${name}.`);
  return account;
}

/** Unix seconds of an ISO 8601 time. */
export function seconds(time: string): number {
  return Date.parse(time) / 1_000;
}

/** The sum of a metric over rows, in whole cents where it is money. */
export function total(rows: readonly Row[], field: string): number {
  return rows.reduce((sum, row) => sum + wholeOf(row[field] ?? 0, field), 0);
}

function wholeOf(value: string | number, field: string): number {
  const isMoney = field.startsWith('revenue') || field === 'valueDollar';
  return isMoney ? Math.round(Number(String(value).replace(',', '.')) * 100) : Number(value);
}
