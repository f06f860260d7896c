import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './run-cli.ts';
import { serveForTest } from './service.ts';

/** Every kind of fault at every step of a run, and what the program makes of it. */

export const steps = ['sign-in', 'create', 'wait', 'download', 'campaigns'] as const;
type Step = (typeof steps)[number];

const endpointOf = {
  'sign-in': 'auth',
  create: 'buyer',
  wait: 'status',
  download: 'download',
  campaigns: 'campaigns',
} as const;

/** Exit codes of one step: where the fault strikes always, and where it strikes once. */
type Outcome = readonly [always: number, once: number];

/** A kind of fault, and what the program makes of it at each step. */
interface FaultKind {
  /** As `--fault` takes it, without the endpoint. */
  readonly kind: string;
  readonly at: { readonly [S in Step]?: Outcome };
  /** The sentence on stderr where the fault ends the run. */
  readonly says: RegExp;
  /** Flags without which the fault would take long, or would not matter. */
  readonly flags?: readonly string[];
}

const everywhere = (safe: Outcome, create: Outcome = safe): FaultKind['at'] => ({
  'sign-in': safe,
  create,
  wait: safe,
  download: safe,
  campaigns: safe,
});

/** Every kind of `cli.md`, `local-server`; an HTTP status stands for those that are treated alike. */
export const faultKinds: readonly FaultKind[] = [
  { kind: '503', at: everywhere([5, 0], [5, 5]), says: /not able to answer\..*\(503/ },
  { kind: '502', at: everywhere([5, 0], [5, 5]), says: /not able to answer\..*\(502/ },
  { kind: '504', at: everywhere([5, 0], [5, 5]), says: /not able to answer\..*\(504/ },
  { kind: '408', at: everywhere([5, 0], [5, 5]), says: /not able to answer\..*\(408/ },
  { kind: '429:retry-after=40', at: everywhere([5, 0]), says: /allows no more requests for now/ },
  { kind: '500', at: everywhere([5, 0], [5, 5]), says: /not able to answer\..*\(500/ },
  { kind: '400', at: { ...everywhere([4, 4]), 'sign-in': [3, 3] }, says: /\(400 SYSTEM\)/ },
  { kind: '401', at: { ...everywhere([3, 0]), 'sign-in': [3, 3] }, says: /refused the (token|sign-in)/ },
  { kind: '403', at: { ...everywhere([4, 4]), 'sign-in': [3, 3] }, says: /\(403 ADMIN_ONLY\)/ },
  { kind: '404', at: { ...everywhere([4, 4]), 'sign-in': [3, 3] }, says: /\(404 NOT_FOUND\)/ },
  { kind: '410', at: { wait: [6, 6], download: [6, 6] }, says: /The report is gone/ },
  { kind: '302', at: { ...everywhere([4, 4]), 'sign-in': [3, 3] }, says: /\(302 INTERNAL\)/ },
  { kind: 'reset', at: everywhere([5, 0], [5, 5]), says: /the connection was cut/ },
  { kind: 'truncate:bytes=20', at: everywhere([9, 0], [9, 9]), says: /broke off: the connection was cut/ },
  {
    kind: 'garbage',
    at: { ...everywhere([9, 9]), download: [9, 0] },
    says: /instead of JSON|no text in utf-8|not UTF-8|byte \d+/,
  },
  { kind: 'html', at: { ...everywhere([9, 9]), download: [9, 0] }, says: /a web page instead of/ },
  { kind: 'slow:rate=20kb', at: everywhere([0, 0]), says: /never/ },
  {
    kind: 'unauthorized',
    at: { create: [3, 0], wait: [3, 0], download: [3, 0], campaigns: [3, 0] },
    says: /refused the token/,
  },
  { kind: 'failed', at: { wait: [6, 6] }, says: /ended as failed/ },
  { kind: 'expired', at: { wait: [6, 6] }, says: /ended as expired/ },
  { kind: 'stuck', at: { wait: [7, 7] }, says: /still in progress after 10 min/, flags: ['--wait-timeout', '10m'] },
  { kind: 'not-downloadable', at: { download: [7, 7] }, says: /The report is not ready/ },
];

/** Takes real time: the server answers after the client has given up. */
export const delayKind: FaultKind = {
  kind: 'delay:ms=4000',
  at: everywhere([5, 0], [5, 5]),
  says: /no answer in time/,
  flags: ['--timeout', '1s', '--retries', '1'],
};

/** One cell of the matrix. */
interface FaultCase {
  readonly kind: FaultKind;
  readonly fault: string;
  readonly step: Step;
  readonly times: 'always' | 'once';
  readonly exitCode: number;
}

/** Tests of some kinds at every step: the old file or the whole new one is left, and what happened is said. */
export function testFaults(kinds: readonly FaultKind[]): void {
  const cases = kinds.flatMap((kind) =>
    steps.flatMap((step) => {
      const outcome = kind.at[step] ?? [];
      return outcome.map((exitCode, index): FaultCase => {
        return { kind, fault: kind.kind, step, times: index === 0 ? 'always' : 'once', exitCode };
      });
    }),
  );
  test.each(cases)('$fault at $step, $times: exit $exitCode', async (each) => {
    const { exitCode, kind } = each;
    const result = await playFault(each, await wholeFile(each.step));
    const file = exitCode === 0 ? 'new' : 'old';
    expect(result).toMatchObject({ exitCode, stdout: '', file, leftovers: [], creates: expectedCreates(each) });
    if (exitCode !== 0) expect(result.stderr).toMatch(kind.says);
    expect(/A report may have been created all the same\./.test(result.stderr)).toBe(isUncertain(each));
    // A token of the built-in accounts, or one that was issued; and the password of them all.
    expect(result.everything).not.toMatch(/[0-9a-f]{40}|\bdemo\b/);
  });
}

const job = ['--period', '2026-11-09..2026-11-15', '--by', 'DAILY,OS', '--metrics', 'displays', '-vv'];
const oldText = 'the old file';

/** Plays one cell: signs in with credentials of the environment, and replaces a file that is there. */
async function playFault({ kind, step, times }: FaultCase, whole: string) {
  const fault = `${endpointOf[step]}:${kind.kind}${times === 'once' ? ':times=1' : ''}`;
  const { server, run } = await serveForTest({ delayMs: 2_000, faults: [fault] });
  const cwd = temporaryFolder();
  const name = 'out.csv';
  writeFileSync(join(cwd, name), oldText);
  const command = step === 'campaigns' ? ['campaigns', '-vv'] : ['run', ...job];
  const env = { ADREPORT_TOKEN: undefined, ADREPORT_EMAIL: 'buyer@example.com', ADREPORT_PASSWORD: 'demo' };
  const { exitCode, stdout, stderr } = await run([...command, '-o', name, ...(kind.flags ?? [])], { cwd, env });

  const text = readFileSync(join(cwd, name), 'utf8');
  const paths = readdirSync(cwd, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(cwd, path)).isFile(),
  );
  return {
    exitCode,
    stdout,
    stderr,
    /** What became of the output file, which was there before. */
    file: text === oldText ? 'old' : text === whole ? 'new' : 'else',
    leftovers: paths.filter((path) => path !== name && !path.startsWith('.config')),
    creates: server.requests().filter(({ endpoint }) => endpoint === 'buyer').length,
    everything: [stdout, stderr, ...paths.map((path) => readFileSync(join(cwd, path), 'utf8'))].join('\n'),
  };
}

const wholeFiles = new Map<string, Promise<string>>();

/** What the file holds when nothing goes wrong. */
function wholeFile(step: Step): Promise<string> {
  const command = step === 'campaigns' ? ['campaigns'] : ['run', ...job, '--format', 'csv'];
  const whole = wholeFiles.get(command.join()) ?? printWhole(command);
  wholeFiles.set(command.join(), whole);
  return whole;
}

async function printWhole(command: readonly string[]): Promise<string> {
  const { run } = await serveForTest({ delayMs: 0 });
  return (await run(command)).stdout;
}

/** How many create calls a cell is to make: none before the sign-in, one more where a refused token made no report. */
function expectedCreates({ kind, step, exitCode }: FaultCase): number {
  if (step === 'campaigns') return 0;
  if (step === 'sign-in') return exitCode === 0 ? 1 : 0;
  if (step !== 'create') return 1;
  // A create that was refused with 429 made no report: it is repeated, five times at most.
  if (kind.kind.startsWith('429')) return exitCode === 0 ? 2 : 6;
  return kind.kind === '401' || kind.kind === 'unauthorized' ? 2 : 1;
}

/** Whether a cell leaves it open whether a report was made. */
function isUncertain({ kind, step, exitCode }: FaultCase): boolean {
  return step === 'create' && (exitCode === 9 || (exitCode === 5 && !kind.kind.startsWith('429')));
}
