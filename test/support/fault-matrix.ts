import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveForTest } from './service.ts';

/** Every kind of fault at every step of a run, with the expected outcome. */

const endpointOf = {
  'sign-in': 'auth',
  create: 'buyer',
  wait: 'status',
  download: 'download',
  campaigns: 'campaigns',
} as const;
type Step = keyof typeof endpointOf;
export const steps = Object.keys(endpointOf) as readonly Step[];

/** Exit codes of one step. */
interface Outcome {
  /** If the fault strikes every call. */
  readonly always: number;

  /** If it strikes one call. */
  readonly once: number;
}

/** A kind of fault, with the outcome at each step. */
interface FaultKind {
  /** As in `--fault`, without the endpoint. */
  readonly kind: string;

  readonly at: { readonly [S in Step]?: Outcome };

  /** Matches stderr if the fault ends the run. */
  readonly says: RegExp;

  /** Flags that make the fault fast or effective. */
  readonly flags?: string;
}

/** Expects the program to continue. */
const passes: Outcome = { always: 0, once: 0 };

/** Expects the program to end with the exit code, even if the fault strikes once. */
function ends(exitCode: number): Outcome {
  return { always: exitCode, once: exitCode };
}

/** Expects another try, and the exit code if that does not help. */
function isRetried(exitCode: number): Outcome {
  return { always: exitCode, once: 0 };
}

/** Expects one outcome at every step, except for the given ones. */
function everywhere(outcome: Outcome, otherwise: FaultKind['at'] = {}): FaultKind['at'] {
  const everyStep = {
    'sign-in': outcome,
    create: outcome,
    wait: outcome,
    download: outcome,
    campaigns: outcome,
  };
  return { ...everyStep, ...otherwise };
}

/** A create call is not repeated, because the first one may have made a report. */
const isRetriedButForCreate = everywhere(isRetried(5), { create: ends(5) });
const isRejected = everywhere(ends(4), { 'sign-in': ends(3) });

/** Every kind in `cli.md`, `local-server`, with one HTTP status for all that are treated alike. */
export const faultKinds: readonly FaultKind[] = [
  { kind: '503', at: isRetriedButForCreate, says: /returned an error\..*\(503/ },
  { kind: '502', at: isRetriedButForCreate, says: /returned an error\..*\(502/ },
  { kind: '504', at: isRetriedButForCreate, says: /returned an error\..*\(504/ },
  { kind: '408', at: isRetriedButForCreate, says: /returned an error\..*\(408/ },
  { kind: '500', at: isRetriedButForCreate, says: /returned an error\..*\(500/ },
  { kind: 'reset', at: isRetriedButForCreate, says: /the connection was cut/ },
  {
    kind: '429:retry-after=40',
    at: everywhere(isRetried(5)),
    says: /received too many requests/,
  },
  { kind: '400', at: isRejected, says: /\(400 SYSTEM\)/ },
  { kind: '403', at: isRejected, says: /\(403 ADMIN_ONLY\)/ },
  {
    kind: '404',
    // A report that was just requested may not be known yet.
    at: everywhere(ends(4), { 'sign-in': ends(3), wait: isRetried(4), download: isRetried(4) }),
    says: /\(404 NOT_FOUND\)/,
  },
  { kind: '302', at: isRejected, says: /\(302 INTERNAL\)/ },
  {
    kind: '401',
    at: everywhere(isRetried(3), { 'sign-in': ends(3) }),
    says: /rejected the (token|sign-in)/,
  },
  {
    kind: '410',
    at: { wait: isRetried(6), download: isRetried(6) },
    says: /The report no longer exists/,
  },
  {
    kind: 'truncate:bytes=20',
    at: everywhere(isRetried(9), { create: ends(9) }),
    says: /broke off: the connection was cut/,
  },
  {
    kind: 'garbage',
    // The rows of a complete report would be the same the next time.
    at: everywhere(isRetried(9), { create: ends(9), download: ends(9) }),
    says: /is not JSON|is not valid UTF-8|not UTF-8|byte \d+/,
  },
  {
    kind: 'html',
    at: everywhere(isRetried(9), { create: ends(9) }),
    says: /is a web page/,
  },
  { kind: 'slow:rate=20kb', at: everywhere(passes), says: /never/ },
  {
    kind: 'unauthorized',
    at: {
      create: isRetried(3),
      wait: isRetried(3),
      download: isRetried(3),
      campaigns: isRetried(3),
    },
    says: /rejected the token/,
  },
  { kind: 'failed', at: { wait: isRetried(6) }, says: /The report \w+ failed/ },
  { kind: 'expired', at: { wait: isRetried(6) }, says: /The report \w+ expired/ },
  {
    kind: 'stuck',
    at: { wait: ends(7) },
    says: /still in progress after 2 min/,
    flags: '--wait-timeout 2m',
  },
  {
    kind: 'not-downloadable',
    at: { download: isRetried(7) },
    says: /still in progress \(not available yet\)/,
    flags: '--wait-timeout 2m',
  },
];

/** Takes real time: the server responds after the client’s timeout. */
export const delayKind: FaultKind = {
  kind: 'delay:ms=4000',
  at: isRetriedButForCreate,
  says: /no response in time/,
  flags: '--timeout 1s --retries 1',
};

const runLine = 'run --period 2026-11-09..2026-11-15 --by DAILY,OS --metrics displays -v';

function lineOf(step: Step): string {
  return step === 'campaigns' ? 'campaigns -v' : runLine;
}

/** File of each command line without faults. */
const wholeFiles = new Map<string, string>();

async function wholeFileOf(line: string): Promise<string> {
  const earlier = wholeFiles.get(line);
  if (earlier !== undefined) return earlier;

  const { run } = await serveForTest({ delayMs: 0 });
  const { stdout } = await run(`${line} --format csv`);
  wholeFiles.set(line, stdout);
  return stdout;
}

interface FaultCase {
  readonly kind: string;
  readonly step: Step;
  readonly times: 'always' | 'once';
  readonly exitCode: number;
  readonly says: RegExp;
  readonly flags: string;
}

function casesOf({ kind, at, says, flags = '' }: FaultKind): FaultCase[] {
  const cases: FaultCase[] = [];

  for (const step of steps) {
    const outcome = at[step];
    if (!outcome) continue;

    cases.push({ kind, step, times: 'always', exitCode: outcome.always, says, flags });
    cases.push({ kind, step, times: 'once', exitCode: outcome.once, says, flags });
  }
  return cases;
}

const withPassword = {
  ADREPORT_TOKEN: undefined,
  ADREPORT_EMAIL: 'buyer@example.com',
  ADREPORT_PASSWORD: 'demo',
};

/** Any token, or the password of the built-in accounts. */
const secret = /[0-9a-f]{40}|\bdemo\b/;

/** Expects the old file or the complete new one, and a report of the fault, at every step. */
export function testFaults(kinds: readonly FaultKind[]): void {
  test.each(kinds.flatMap(casesOf))('$kind at $step, $times: exit $exitCode', async (fault) => {
    const { kind, step, times, exitCode, says, flags } = fault;
    const spec = `${endpointOf[step]}:${kind}${times === 'once' ? ':times=1' : ''}`;
    const { cwd, run, calls } = await serveForTest({ faults: [spec] });
    writeFileSync(join(cwd, 'out.csv'), 'the old file');

    const result = await run(`${lineOf(step)} -o out.csv ${flags}`, { env: withPassword });

    expect(result).toMatchObject({ exitCode, stdout: '' });
    if (exitCode !== 0) expect(result.stderr).toMatch(says);

    const content = exitCode === 0 ? await wholeFileOf(lineOf(step)) : 'the old file';
    expect(result.files).toEqual({ 'out.csv': content });

    expect(calls('buyer')).toBe(createsAt(step, kind, exitCode));
    const mayExist = result.stderr.includes('A report may have been created anyway.');
    expect(mayExist).toBe(step === 'create' && isUncertain(kind, exitCode));

    expect(result.stderr).not.toMatch(secret);
    for (const text of textsIn(cwd)) expect(text).not.toMatch(secret);
  });
}

/** Reads all files below a folder, including the settings. */
function textsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const paths = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());

  return paths.map((path) => readFileSync(path, 'utf8'));
}

/** Holds if a create call may have made a report despite the fault. */
function isUncertain(kind: string, exitCode: number): boolean {
  const isCertainlyUndone = kind.startsWith('429');

  return exitCode === 9 || (exitCode === 5 && !isCertainlyUndone);
}

/**
 * Predicts the number of create calls: none before the sign-in, one more if a refused token made no
 * report or a report failed.
 */
function createsAt(step: Step, kind: string, exitCode: number): number {
  if (step === 'campaigns') return 0;
  if (step === 'sign-in') return exitCode === 0 ? 1 : 0;

  // Such a report is requested once more, then as 7 days, and each of those once more.
  if (['failed', 'expired', '410'].includes(kind)) return exitCode === 0 ? 2 : 16;
  if (step !== 'create') return 1;

  // A create call refused with 429 made no report and is repeated up to five times.
  if (kind.startsWith('429')) return exitCode === 0 ? 2 : 6;

  return kind === '401' || kind === 'unauthorized' ? 2 : 1;
}
