import type { Context } from '../context.ts';
import type { Encoding, ReportRequest } from '../contract/messages.ts';
import { createUrl, curlLine, encodeRequest, requestParameters } from '../report/request.ts';
import type { Window } from '../report/window.ts';
import { describeWindow } from '../report/window.ts';
import { printable } from '../text/printable.ts';

/** One create call that would be made. */
export interface PlannedCall {
  /** That of the report's account. */
  readonly context: Context;
  /** The saved report's name. */
  readonly name?: string | undefined;
  readonly window: Window;
  readonly request: ReportRequest;
  /** The file's name; absent for stdout. */
  readonly output: string | undefined;
}

/** What `--dry-run` shows in place of a base URL that is not set. */
const exampleBaseUrl = 'https://reports.example.com';

/** Where a call would go, and how its body would be written. */
interface Way {
  readonly baseUrl: string;
  readonly encoding: Encoding;
}

/** Prints what would be sent, as text or with `--json` as one object (`cli.md`, `--dry-run`). */
export async function printDryRun({ console, flags }: Context, calls: readonly PlannedCall[]): Promise<void> {
  const { bold } = console.out.style;
  const shown = [];
  for (const call of calls) {
    const settings = await call.context.settings();
    const way = { baseUrl: settings.baseUrl.value?.href ?? exampleBaseUrl, encoding: settings.encoding.value };
    shown.push(flags.json ? asObject(call, way) : asText(call, way, bold));
  }
  await console.result(flags.json ? JSON.stringify({ requests: shown }) : shown.join('\n\n'));
}

function asObject({ window, request, output }: PlannedCall, { baseUrl, encoding }: Way): object {
  const { since, until, zone: timezone } = window;
  return {
    method: 'POST',
    url: createUrl(baseUrl),
    body: requestParameters(request),
    window: { since, until, timezone },
    output: output ?? '-',
    curl: curlLine({ baseUrl, request, encoding }),
  };
}

function asText(call: PlannedCall, { baseUrl, encoding }: Way, bold: (text: string) => string): string {
  const { name, window, request, output } = call;
  const { since, until, length } = describeWindow(window);
  const line = (label: string, text: string): string => bold(label.padEnd(8)) + text;
  return [
    ...(name === undefined ? [] : [line('report', printable(name))]),
    line('window', `${since} … ${until} (${window.zone}, ${length})`),
    line('unix', `${window.since} … ${window.until}`),
    line('output', printable(output ?? 'stdout')),
    line('body', encodeRequest(request, encoding).text),
    '',
    curlLine({ baseUrl, request, encoding }),
  ].join('\n');
}
