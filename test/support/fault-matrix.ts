import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveForTest } from './service.ts';

/** Every kind of fault at every step of a run, and what the program makes of it. */

const endpointOf = {
  'sign-in': 'auth',
  create: 'buyer',
  wait: 'status',
  download: 'download',
  campaigns: 'campaigns',
} as const;
type Step = keyof typeof endpointOf;
export const steps = Object.keys(endpointOf) as readonly Step[];

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

const everywhere = (safe: Outcome, create: Outcome = safe): FaultKind['at'] => {
  return { 'sign-in': safe, create, wait: safe, download: safe, campaigns: safe };
};

/** Every kind of `cli.md`, `local-server`; an HTTP status stands for those that are treated alike. */
export const faultKinds: readonly FaultKind[] = [
  { kind: '503', at: everywhere([5, 0], [5, 5]), says: /not able to answer\..*\(503/ },
  { kind: '502', at: everywhere([5, 0], [5, 5]), says: /not able to answer\..*\(502/ },
  { kind: '504', at: everywhere([5, 0], [5, 5]), says: /not able to answer\..*\(504/ },
  { kind: '408', at: everywhere([5, 0], [5, 5]), says: /not able to answer\..*\(408/ },
  { kind: '429:retry-after=40', at: everywhere([5, 0]), says: /allows no more requests for now/ },
  { kind: '500', at: everywhere([5, 0], [5, 5]), says: /not able to answer\..*\(500/ },
  { kind: '400', at: { ...everywhere([4, 4]), 'sign-in': [3, 3] }, says: /\(400 SYSTEM\)/ },
  {
    kind: '401',
    at: { ...everywhere([3, 0]), 'sign-in': [3, 3] },
    says: /refused the (token|sign-in)/,
  },
  { kind: '403', at: { ...everywhere([4, 4]), 'sign-in': [3, 3] }, says: /\(403 ADMIN_ONLY\)/ },
  { kind: '404', at: { ...everywhere([4, 4]), 'sign-in': [3, 3] }, says: /\(404 NOT_FOUND\)/ },
  { kind: '410', at: { wait: [6, 6], download: [6, 6] }, says: /The report is gone/ },
  { kind: '302', at: { ...everywhere([4, 4]), 'sign-in': [3, 3] }, says: /\(302 INTERNAL\)/ },
  { kind: 'reset', at: everywhere([5, 0], [5, 5]), says: /the connection was cut/ },
  {
    kind: 'truncate:bytes=20',
    at: everywhere([9, 0], [9, 9]),
    says: /broke off: the connection was cut/,
  },
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
  {
    kind: 'stuck',
    at: { wait: [7, 7] },
    says: /still in progress after 10 min/,
    flags: ['--wait-timeout', '10m'],
  },
  { kind: 'not-downloadable', at: { download: [7, 7] }, says: /The report is not ready/ },
];

/** Takes real time: the server answers after the client has given up. */
export const delayKind: FaultKind = {
  kind: 'delay:ms=4000',
  at: everywhere([5, 0], [5, 5]),
  says: /no answer in time/,
  flags: ['--timeout', '1s', '--retries', '1'],
};

const job = '--period 2026-11-09..2026-11-15 --by DAILY,OS --metrics displays -vv';
const commandOf = (step: Step): string => (step === 'campaigns' ? 'campaigns -vv' : `run ${job}`);
const wholeFiles = new Map<string, Promise<string>>();

/** What the file holds when nothing goes wrong. */
function wholeFile(command: string): Promise<string> {
  const print = async () =>
    (await (await serveForTest({ delayMs: 0 })).run(`${command} --format csv`)).stdout;
  const whole = wholeFiles.get(command) ?? print();
  wholeFiles.set(command, whole);
  return whole;
}

/** Tests of some kinds at every step: the old file or the whole new one is left, and what happened is said. */
export function testFaults(kinds: readonly FaultKind[]): void {
  const cases = kinds.flatMap(({ kind, at, says, flags = [] }) =>
    steps.flatMap((step) =>
      (at[step] ?? []).map((exitCode, index) => {
        const times = index === 0 ? 'always' : 'once';
        return { kind, step, times, exitCode, says, flags };
      }),
    ),
  );
  test.each(cases)(
    '$kind at $step, $times: exit $exitCode',
    async ({ kind, step, times, exitCode, says, flags }) => {
      const fault = `${endpointOf[step]}:${kind}${times === 'once' ? ':times=1' : ''}`;
      const { cwd, run, calls } = await serveForTest({ faults: [fault] });
      writeFileSync(join(cwd, 'out.csv'), 'the old file');
      const env = {
        ADREPORT_TOKEN: undefined,
        ADREPORT_EMAIL: 'buyer@example.com',
        ADREPORT_PASSWORD: 'demo',
      };
      const result = await run([...commandOf(step).split(' '), '-o', 'out.csv', ...flags], { env });

      const { stderr, files } = result;
      const left = exitCode === 0 ? await wholeFile(commandOf(step)) : 'the old file';
      expect(result).toMatchObject({
        exitCode,
        stdout: '',
        stderr: exitCode === 0 ? stderr : expect.stringMatching(says),
      });
      expect(files).toEqual({ 'out.csv': left });
      expect(calls('buyer')).toBe(createsAt(step, kind, exitCode));
      // Where a create may have been made all the same, that is said.
      const isUncertain =
        step === 'create' && (exitCode === 9 || (exitCode === 5 && !kind.startsWith('429')));
      expect(/A report may have been created all the same\./.test(stderr)).toBe(isUncertain);
      // A token of the built-in accounts, or one that was issued; and the password of them all.
      const settings = readdirSync(cwd, { recursive: true, encoding: 'utf8' }).map((name) =>
        join(cwd, name),
      );
      const kept = settings
        .filter((path) => statSync(path).isFile())
        .map((path) => readFileSync(path, 'utf8'));
      expect([stderr, ...kept].join('\n')).not.toMatch(/[0-9a-f]{40}|\bdemo\b/);
    },
  );
}

/** How many create calls a cell is to make: none before the sign-in, one more where a refused token made no report. */
function createsAt(step: Step, kind: string, exitCode: number): number {
  if (step === 'campaigns') return 0;
  if (step === 'sign-in') return exitCode === 0 ? 1 : 0;
  if (step !== 'create') return 1;
  // A create that was refused with 429 made no report: it is repeated, five times at most.
  if (kind.startsWith('429')) return exitCode === 0 ? 2 : 6;
  return kind === '401' || kind === 'unauthorized' ? 2 : 1;
}
