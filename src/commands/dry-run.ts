import type { ServiceAccount } from '../account/account.ts';
import { endpointUrl } from '../contract/messages.ts';
import { buildBody, curlLine, encodeBody } from '../query/body.ts';
import { formatInstant } from '../query/calendar.ts';
import { listFileNames } from '../query/file-name.ts';
import { earlierPart, mergesParts } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import type { Context } from '../run/context.ts';
import { type ReportPlan, resolveNames, withRequestQuery } from '../run/plan-run.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { defaultPort } from './server-flags.ts';

/** A create call that would be made. */
interface PlannedCall {
  readonly account: ServiceAccount;
  readonly part: Part;

  /** Label of the report, if the run has several. */
  readonly label?: string | undefined;

  /** Files, or `-` for stdout; `null` for a report that is only compared with. */
  readonly outputs: readonly string[] | null;
}

/** Prints the calls of a run. With `--compare`, each report is followed by its earlier report. */
export async function showPlan(context: Context, reports: readonly ReportPlan[]): Promise<void> {
  const calls: PlannedCall[] = [];
  for (const planned of reports.filter(({ parts }) => parts.length > 0)) {
    const { account, label } = planned;
    const query = await resolveNames(context, account, planned.query);
    const report = withRequestQuery(planned, query);
    const { parts, whole } = report;
    const isMerged = mergesParts(query);
    for (const part of parts) {
      calls.push({ account, label, part, outputs: listFileNames(isMerged ? whole : part) });
      if (!isMerged) calls.push(...earlierCalls(report, part));
    }
    // A merged report is compared as a whole.
    if (isMerged) calls.push(...earlierCalls(report, whole));
  }
  await printDryRun(context, calls);
}

/** Returns no call without `--compare`. */
function earlierCalls({ account, label, query }: ReportPlan, part: Part): PlannedCall[] {
  if (!query.compare) return [];
  return [{ account, label, part: earlierPart(part), outputs: null }];
}

const localServer = `http://127.0.0.1:${defaultPort}/`;

/** Prints calls without making them, as text or, with `--json`, as one object. */
export async function printDryRun(
  { console, flags, host }: Pick<Context, 'console' | 'flags' | 'host'>,
  calls: readonly PlannedCall[],
): Promise<void> {
  const requests: object[] = [];
  const blocks: string[] = [];

  for (const { account, label, part, outputs } of calls) {
    const { baseUrl, encoding } = await account.settings();
    // The in-process server will have ended by the time the command is pasted.
    const knownUrl = account.isLocal ? localServer : baseUrl.value?.href;
    const address = knownUrl ?? 'https://reports.example.com';
    const { since, until, zone } = part;
    const body = buildBody(part);
    const encoded = encodeBody(body, encoding.value);
    const curl = curlLine(address, encoded, host.platform);
    requests.push({
      method: 'POST',
      url: endpointUrl(address, 'buyer'),
      body,
      window: { since, until, timezone: zone },
      output: outputs?.length === 1 ? outputs[0] : outputs,
      curl,
    });

    const ends = `${formatInstant(since, zone)} … ${formatInstant(until, zone)}`;
    const line = (name: string, text: string) => console.out.style.bold(name.padEnd(8)) + text;
    const lines = [
      line('period', `${ends} (${zone})`),
      line('unix', `${since} … ${until}`),
      ...(outputs === null ? [] : [line('output', describeOutputs(outputs))]),
      line('body', encoded.text),
      '',
      curl,
    ];
    if (label !== undefined) lines.unshift(line('report', printable(label)));
    blocks.push(lines.join('\n'));
  }

  if (calls.some(({ account }) => account.isLocal)) {
    console.note('Note: The curl line needs a running local server: adreport local-server');
  }
  await console.result(flags.json ? visibleJson({ requests }) : blocks.join('\n\n'));
}

function describeOutputs(outputs: readonly string[]): string {
  return outputs.map((name) => (name === '-' ? 'stdout' : printable(name))).join(', ');
}
