import type { ReportSummary } from '../contract/messages.ts';
import { emptyTail, type ReportMember, type ReportTail, type RowBatches } from './row-batch.ts';

/**
 * Concatenates the rows of several reports, one after the other. The summary covers all of their
 * days, and other members are kept if they are the same in all reports. With `isWeekly`, the
 * summary has WEEKLY instead of RANGE.
 */
export async function* mergeReports(
  reports: AsyncIterable<RowBatches>,
  { isWeekly }: { readonly isWeekly: boolean },
): RowBatches {
  let merged = emptyTail;
  let isFirst = true;
  for await (const batches of reports) {
    try {
      let next = await batches.next();
      for (; !next.done; next = await batches.next()) {
        yield { ...next.value, firstRow: merged.rowCount + next.value.firstRow };
      }
      merged = isFirst ? next.value : joinTails(merged, next.value);
      isFirst = false;
    } finally {
      // After an error, this stops the download.
      await batches.return?.();
    }
  }
  return isWeekly ? toWeekly(merged) : merged;
}

function toWeekly(tail: ReportTail): ReportTail {
  const breakdowns = tail.summary?.breakdowns ?? [];
  const names = breakdowns.map((name) => (name === 'RANGE' ? 'WEEKLY' : name));
  return changeSummary(tail, { breakdowns: names });
}

function joinTails(first: ReportTail, second: ReportTail): ReportTail {
  const { summary } = second;
  const members = first.members.filter(({ name, json }) => {
    if (name === 'summary' && summary) return true;
    return second.members.some((member) => member.name === name && member.json.equals(json));
  });
  const joined = {
    rowCount: first.rowCount + second.rowCount,
    fields: [...new Set([...first.fields, ...second.fields])],
    summary: summary && first.summary,
    members,
  };
  return summary ? changeSummary(joined, { until: summary.until }) : joined;
}

/** Changes the summary and its JSON. Does nothing without a summary. */
function changeSummary(tail: ReportTail, change: Partial<ReportSummary>): ReportTail {
  if (!tail.summary) return tail;
  const members = tail.members.map((member): ReportMember => {
    if (member.name !== 'summary') return member;
    const json = JSON.stringify({ ...JSON.parse(member.json.toString()), ...change });
    return { name: member.name, json: Buffer.from(json) };
  });
  return { ...tail, summary: { ...tail.summary, ...change }, members };
}
