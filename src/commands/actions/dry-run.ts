import type { Context } from '../../context.ts';
import type { ReportFlags } from '../flags.ts';
import type { ProfilePlan } from './plan-report.ts';

/** What `--dry-run` shows in place of a base URL that is not set. */
const exampleBaseUrl = 'https://reports.example.com';

/** Prints what would be sent, as text or with `--json` as one object, without any network (`cli.md`, `--dry-run`). */
export async function printDryRun(
  context: Context,
  flags: ReportFlags,
  plan: ProfilePlan,
  output: string | undefined,
): Promise<void> {
  const [{ createUrl, encodeRequest, requestParameters }, { curlLine }, { describeWindow }] = await Promise.all([
    import('../../report/request-body.ts'),
    import('../../report/curl-line.ts'),
    import('../../report/describe-window.ts'),
  ]);
  const { request, window } = plan;
  const { console } = context;
  const baseUrl = (await context.settings()).baseUrl.value?.href ?? exampleBaseUrl;
  const curl = curlLine({ baseUrl, request, encoding: flags.encoding });
  if (context.flags.json) {
    const { since, until, zone: timezone } = window;
    const body = requestParameters(request);
    const url = createUrl(baseUrl);
    const entry = { method: 'POST', url, body, window: { since, until, timezone }, output: output ?? '-', curl };
    return console.result(JSON.stringify({ requests: [entry] }));
  }
  const { since, until, length } = describeWindow(window);
  const { bold } = console.out.style;
  const line = (label: string, text: string): string => bold(label.padEnd(8)) + text;
  const lines = [
    line('window', `${since} … ${until} (${window.zone}, ${length})`),
    line('unix', `${window.since} … ${window.until}`),
    line('output', output ?? 'stdout'),
    line('body', encodeRequest(request, flags.encoding).text),
  ];
  await console.result([...lines, '', curl].join('\n'));
}
