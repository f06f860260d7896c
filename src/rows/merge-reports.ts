import type { ReportSummary } from '../contract/messages.ts';
import { emptyTail, type ReportMember, type ReportTail, type RowBatches } from './row-batch.ts';

/**
 * Concatenates the rows of several reports; each report is read when the previous one is done. The
 * summary covers the whole time, and other members are kept if they are the same in all reports.
 * With `isWeekly`, the summary has WEEKLY instead of RANGE.
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
  return isWeekly ? asWeekly(merged) : merged;
}

function asWeekly(tail: ReportTail): ReportTail {
  const { summary } = tail;
  if (!summary) return tail;

  const breakdowns = summary.breakdowns.map((name) => (name === 'RANGE' ? 'WEEKLY' : name));
  const members = tail.members.map((member) =>
    member.name === 'summary' ? withChange(member, { breakdowns }) : member,
  );
  return { ...tail, summary: { ...summary, breakdowns }, members };
}

function joinTails(first: ReportTail, second: ReportTail): ReportTail {
  const { summary } = second;
  const members: ReportMember[] = [];
  for (const member of first.members) {
    if (member.name === 'summary' && summary) {
      members.push(withChange(member, { until: summary.until }));
    } else if (hasSame(second.members, member)) members.push(member);
  }
  return {
    rowCount: first.rowCount + second.rowCount,
    fields: [...new Set([...first.fields, ...second.fields])],
    summary: first.summary && summary && { ...first.summary, until: summary.until },
    members,
  };
}

function hasSame(members: readonly ReportMember[], { name, json }: ReportMember): boolean {
  return members.some((member) => member.name === name && member.json.equals(json));
}

/** Replaces some members of a summary. */
function withChange({ name, json }: ReportMember, change: Partial<ReportSummary>): ReportMember {
  const summary = { ...JSON.parse(json.toString()), ...change };
  return { name, json: Buffer.from(JSON.stringify(summary)) };
}
