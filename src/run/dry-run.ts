import type { ServiceAccount } from '../account/account.ts';
import { endpointUrl } from '../contract/messages.ts';
import { describeWindow, formatInstant, type Window } from '../query/calendar.ts';
import { jobWithIds } from '../query/names.ts';
import { type Job, outputOf } from '../query/plan.ts';
import { curlLine, encodeRequest, requestParameters } from '../query/request.ts';
import type { Part } from '../query/window-parts.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { planComparison } from './compare.ts';
import type { RunTools } from './run-tools.ts';

/** One create call that would be made. */
interface PlannedCall extends Pick<Part, 'window' | 'request'> {
  readonly account: ServiceAccount;

  /** Name of its job, if the run has several. */
  readonly label?: string | undefined;

  /** Absent for stdout; `null` for a report that is only compared with and not written. */
  readonly output?: string | null | undefined;

  /** Why it would be made, as a clause. */
  readonly reason?: string | undefined;
}

/** Prints the calls of a run; with `--compare`, each report is followed by its earlier one. */
export async function showPlan(tools: RunTools, jobs: readonly Job[]): Promise<void> {
  const calls: PlannedCall[] = [];
  for (const planned of jobs) {
    const job = await jobWithIds(tools, planned);
    for (const part of job.parts) calls.push(...planCalls(tools, job, part));
    if (job.isMerged) calls.push(...earlierCalls(tools, job, job.plan.window));
  }
  await printDryRun(tools, calls);
}

/** Throws as `earlierCalls`. */
function planCalls(tools: RunTools, job: Job, part: Part): PlannedCall[] {
  const { account, label, isMerged } = job;
  const { window, request, reason } = part;
  const call = { account, label, window, request, output: outputOf(job, part).file, reason };
  // A merged report is compared as a whole.
  return isMerged ? [call] : [call, ...earlierCalls(tools, job, window)];
}

/** Returns no call without `--compare`. Throws as `planComparison`. */
function earlierCalls(tools: RunTools, job: Job, now: Window): PlannedCall[] {
  const earlier = planComparison(tools, job, now);
  if (!earlier) return [];

  const { account, label } = job;
  const { window, request } = earlier;
  const reason = 'the report above is compared with this one';
  return [{ account, label, window, request, output: null, reason }];
}

/** Prints calls without making them, as text or, with `--json`, as one object. */
export async function printDryRun(
  { console, flags, host }: Pick<RunTools, 'console' | 'flags' | 'host'>,
  calls: readonly PlannedCall[],
): Promise<void> {
  const requests: object[] = [];
  const texts: string[] = [];

  for (const { account, label, window, request, output, reason } of calls) {
    const { baseUrl, encoding } = await account.settings();
    const address = baseUrl.value?.href ?? 'https://reports.example.com';
    const { since, until, zone } = window;
    const encoded = encodeRequest(request, encoding.value);
    const curl = curlLine(address, encoded, host.platform);
    requests.push({
      method: 'POST',
      url: endpointUrl(address, 'buyer'),
      body: requestParameters(request),
      window: { since, until, timezone: zone },
      output: output === undefined ? '-' : output,
      reason,
      curl,
    });

    const { length } = describeWindow(window);
    const ends = `${formatInstant(since, zone)} … ${formatInstant(until, zone)}`;
    const line = (name: string, text: string) => console.out.style.bold(name.padEnd(8)) + text;
    const lines = [
      line('window', `${ends} (${zone}, ${length})`),
      line('unix', `${since} … ${until}`),
      ...(output === null ? [] : [line('output', printable(output ?? 'stdout'))]),
      ...(reason === undefined ? [] : [line('because', reason)]),
      line('body', encoded.text),
      '',
      curl,
    ];
    if (label !== undefined) lines.unshift(line('report', printable(label)));
    texts.push(lines.join('\n'));
  }

  await console.result(flags.json ? visibleJson({ requests }) : texts.join('\n\n'));
}
