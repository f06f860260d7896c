import type { ReportSummary } from '../../contract/messages.ts';
import type { ReportMember, ReportTail, RowBatches } from '../../rows/row-batch.ts';

/**
 * The rows of several reports, one after the other, as those of one report; each report is asked for when its turn has
 * come. The tail is that of a report over the whole time: its summary runs from the first's `since` to the last's
 * `until`; of the other members those stay which all parts agree on.
 */
export async function* mergeReports(reports: AsyncIterable<RowBatches>): RowBatches {
  let merged: ReportTail | undefined;
  for await (const batches of reports) {
    const firstRow = merged?.rowCount ?? 0;
    try {
      let next = await batches.next();
      for (; !next.done; next = await batches.next()) {
        yield { ...next.value, firstRow: firstRow + next.value.firstRow };
      }
      merged = merged ? joinTails(merged, next.value) : next.value;
    } finally {
      // Its result is not used: after an error nothing but the closing matters.
      await batches.return(undefined as never);
    }
  }
  return merged ?? { rowCount: 0, sizeBytes: 0, fields: [], summary: undefined, members: [] };
}

function joinTails(first: ReportTail, second: ReportTail): ReportTail {
  return {
    rowCount: first.rowCount + second.rowCount,
    sizeBytes: first.sizeBytes + second.sizeBytes,
    fields: [...new Set([...first.fields, ...second.fields])],
    summary: joinSummaries(first.summary, second.summary),
    members: first.members.flatMap((member) => joinMembers(member, second)),
  };
}

function joinSummaries(first: ReportSummary | undefined, second: ReportSummary | undefined): ReportSummary | undefined {
  return first && second && { ...first, until: second.until };
}

function joinMembers(member: ReportMember, { members, summary }: ReportTail): ReportMember[] {
  const { name, json } = member;
  if (name === 'summary' && summary) {
    const joined = { ...JSON.parse(json.toString()), until: summary.until };
    return [{ name, json: Buffer.from(JSON.stringify(joined)) }];
  }
  return members.some((other) => other.name === name && other.json.equals(json)) ? [member] : [];
}
