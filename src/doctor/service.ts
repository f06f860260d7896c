import { describeAccount } from '../account/owner.ts';
import { AdreportError, InterruptedError } from '../errors.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { Prompt } from '../ui/prompt.ts';
import { type Claim, claims } from './claims.ts';
import type { DoctorTools } from './doctor-tools.ts';
import { type Mark, printEntry } from './print-entry.ts';
import { endsTrial, ServiceTrial, SkippedError } from './trial.ts';

/** Result of a claim in `--json` output. */
interface ClaimResult extends Pick<Claim, 'id' | 'kind' | 'sentence'> {
  readonly result: 'holds' | 'differs' | 'not tried';

  /** The contradiction, or the reason why the claim was skipped. */
  readonly detail: string | null;
}

/**
 * Exit code if the service contradicts a documented claim, because adreport may then misread
 * reports.
 */
const differenceExitCode = 9;

/**
 * Checks the claims on the service, prints the results, and returns the exit code. Throws
 * `UsageError` without `--yes` if there is no terminal for a prompt. If the service is unreachable
 * or refuses the token, prints the results so far before it throws.
 *
 * @param isConfirmed whether to request the reports without asking
 */
export async function tryService(tools: DoctorTools, isConfirmed: boolean): Promise<number> {
  const { account, console, host } = tools;
  const queryFields = await describeAccount(account);
  const { baseUrl, credentials } = await account.signIn();
  const settings = { ...queryFields, canSignIn: credentials !== undefined };
  const trial = new ServiceTrial(await account.client(), settings, host.wallClock());
  listReports(tools, trial, baseUrl);
  if (!isConfirmed && !account.isLocal && !(await confirmReports(tools))) {
    console.note('Nothing was requested.');
    return 0;
  }

  const { results, lastError } = await tryClaims(trial, console.redact);
  if (lastError && results.every(({ result }) => result === 'not tried')) throw lastError;

  await printResults(tools, results);
  if (lastError) throw lastError;
  const contradictsDocumentation = results.some(
    ({ kind, result }) => kind === 'documented' && result === 'differs',
  );
  return contradictsDocumentation ? differenceExitCode : 0;
}

function listReports({ console, account }: DoctorTools, trial: ServiceTrial, baseUrl: URL): void {
  const service = account.isLocal ? 'the local server' : printable(baseUrl.href);
  const reports = trial.describeReports();
  const count = formatPlural(reports.length, 'small report');
  const { profile } = trial.settings;
  console.note(`About to request ${count} from ${service} with the ${profile} profile:`);
  for (const description of reports) console.note(`  - ${description}`);
}

/** Asks whether to request the reports. */
function confirmReports({ console, host }: DoctorTools): Promise<boolean> {
  const prompt = new Prompt(host.stdin, console, host.signal);
  const question = { noun: 'confirmation', title: 'Choose', flag: '--yes' };
  return prompt.choose(question, [
    { value: false, name: 'Request nothing' },
    { value: true, name: 'Request these reports' },
  ]);
}

/** Checks the claims in order. After a fatal error, the remaining claims are skipped. */
async function tryClaims(trial: ServiceTrial, redact: (text: string) => string) {
  const results: ClaimResult[] = [];
  let lastError: AdreportError | undefined;

  for (const { id, kind, sentence, dspSkipReason, check } of claims) {
    const skipReason = trial.settings.profile === 'dsp' ? dspSkipReason : undefined;
    const reason = lastError?.message ?? skipReason;
    let outcome: Outcome = { result: 'not tried', detail: reason ?? null };
    try {
      if (reason === undefined) outcome = toOutcome(await check(trial));
    } catch (error) {
      outcome = toErrorOutcome(error);
      if (error instanceof AdreportError && endsTrial(error)) lastError = error;
    }
    const detail = outcome.detail && redact(outcome.detail);
    results.push({ id, kind, sentence, ...outcome, detail });
  }
  return { results, lastError };
}

type Outcome = Pick<ClaimResult, 'result' | 'detail'>;

function toOutcome(difference: string | undefined): Outcome {
  return difference === undefined
    ? { result: 'holds', detail: null }
    : { result: 'differs', detail: difference };
}

/** Turns an error from the service into an outcome. Rethrows any other error. */
function toErrorOutcome(error: unknown): Outcome {
  if (error instanceof SkippedError) return { result: 'not tried', detail: error.message };
  if (!(error instanceof AdreportError) || error instanceof InterruptedError) throw error;

  return { result: endsTrial(error) ? 'not tried' : 'differs', detail: error.message };
}

/** Width of a mark and a claim's ID, in columns. */
const indent = 20;

const marks: Readonly<Record<ClaimResult['result'], Mark>> = {
  holds: 'good',
  differs: 'problem',
  'not tried': 'unknown',
};

async function printResults(
  { console, flags }: DoctorTools,
  results: readonly ClaimResult[],
): Promise<void> {
  if (flags.json) {
    await console.result(visibleJson({ claims: results }));
    return;
  }

  for (const { id: name, kind, sentence, result, detail } of results) {
    const message = result === 'differs' ? `${sentence} (${kind})` : sentence;
    const line = detail && `${result}: ${detail}`;
    const entry = { mark: marks[result], name, message, detail: line };
    await printEntry(entry, indent, console);
  }

  const count = (outcome: ClaimResult['result']): number =>
    results.filter(({ result }) => result === outcome).length;
  const counts = `${count('holds')} hold, ${count('differs')} differ, ${count('not tried')} not tried`;
  await console.result(`\n${formatPlural(results.length, 'claim')}: ${counts}.`);
}
