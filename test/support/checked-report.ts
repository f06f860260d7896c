import { type LabelledResult, mergeResults } from '../../src/checks/merged-check.ts';
import { factsOfFile, ReportCheck, type ReportOrigin } from '../../src/checks/report-check.ts';
import { requestedColumns } from '../../src/contract/columns.ts';
import type { ReportRequest, ResponseFacts, WindowClock } from '../../src/contract/messages.ts';
import type { BreakdownName, MetricName, Profile } from '../../src/contract/vocabulary.ts';
import type { CheckMessage, CheckResult } from '../../src/errors.ts';
import type { Window } from '../../src/query/calendar.ts';
import { resolvePeriod } from '../../src/query/period.ts';
import { readRows } from '../../src/rows/read-rows.ts';

/** A report and its request. */
export interface Scene extends Partial<ResponseFacts>, Partial<ReportOrigin> {
  readonly nowMs?: number;
  readonly profile?: Profile;
  readonly by?: readonly BreakdownName[];
  readonly metrics?: readonly MetricName[];
  readonly filters?: ReportRequest['filters'];
  readonly period?: string;
  readonly window?: Window;
  readonly zone?: string;
  readonly windowClock?: WindowClock;
  readonly body: string;

  /** Size of the chunks in which the body is parsed. */
  readonly pieceBytes?: number;
}

/** Messages of a check. */
export interface Sentences {
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

function sentencesOf({ warnings, notes }: CheckResult): Sentences {
  const sentences = (messages: readonly CheckMessage[]) => messages.map(({ message }) => message);
  return { warnings: sentences(warnings), notes: sentences(notes) };
}

export const checkedNowMs = Date.parse('2030-01-01T00:00:00Z');

/** Requests displays from 1 to 3 November 2026 with the buyer profile by default. */
export async function checkReport(scene: Scene): Promise<Sentences> {
  const { check, batches } = open(scene);
  for (;;) {
    const next = await batches.next();
    if (next.done) return sentencesOf(check.close(next.value));
    check.observe(next.value);
  }
}

export async function checkMerged(scenes: readonly Scene[]): Promise<Sentences> {
  const results: LabelledResult[] = [];
  for (const [index, scene] of scenes.entries()) {
    const { check, batches } = open(scene);
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) check.observe(next.value);
    results.push({ label: `part ${index}`, result: check.close(next.value) });
  }
  return sentencesOf(mergeResults(results));
}

function open(scene: Scene) {
  const { profile = 'buyer', by = ['DAILY'], metrics = ['displays'], filters = {} } = scene;
  const { body, period = '2026-11-01..2026-11-03', zone = 'Europe/Paris' } = scene;
  const { pieceBytes = 1_000, nowMs = checkedNowMs } = scene;
  const window = scene.window ?? resolvePeriod({ period }, { zone, nowMs });
  const columns = requestedColumns(profile, { breakdowns: by, metrics });
  const check = new ReportCheck({
    expectation: {
      profile,
      window,
      breakdowns: by,
      columns,
      filters,
      ...(scene.windowClock && { windowClock: scene.windowClock }),
    },
    answer: { ...factsOfFile, ...scene },
    origin: { createdMs: nowMs, ...scene },
    nowMs,
  });
  async function* chunks() {
    for (let at = 0; at < body.length; at += pieceBytes) {
      yield Buffer.from(body.slice(at, at + pieceBytes));
    }
  }
  const contentType = /^\s*[[{]/.test(body) ? 'application/json' : 'text/csv';
  return { check, batches: readRows(chunks(), { contentType, pieceBytes }) };
}
