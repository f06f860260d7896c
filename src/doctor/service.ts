import { AdreportError, InterruptedError } from '../errors.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { Prompt } from '../ui/prompt.ts';
import { type Claim, claims } from './claims.ts';
import type { DoctorTools } from './doctor-tools.ts';
import { type Mark, printEntry } from './print-entry.ts';
import {
  endsTrials,
  NotTried,
  type PlannedReport,
  type ProbeSettings,
  planReports,
  ServiceProbe,
} from './service-probe.ts';

/** The result of a claim, as `--json` prints it. */
interface ClaimResult extends Pick<Claim, 'id' | 'kind' | 'sentence'> {
  readonly result: 'holds' | 'differs' | 'not tried';

  /** Difference, or reason why the claim was not tried. */
  readonly detail: string | null;
}

/** Used if a documented claim differs: adreport would misread reports. */
const differenceExitCode = 9;

/**
 * Tries the claims on the service, prints the results, and returns the exit code. Throws
 * `UsageError` without `--yes` and a terminal to ask. If the service cannot be reached or refuses
 * the token, the results so far are printed before the error is thrown.
 *
 * @param isConfirmed requests the reports without asking
 */
export async function tryService(tools: DoctorTools, isConfirmed: boolean): Promise<number> {
  const { account, console, host } = tools;
  const settings = await readServiceSettings(tools);
  const reports = planReports(settings, host.wallClock());
  if (!(await confirmReports(tools, { settings, reports, isConfirmed }))) {
    console.note('Nothing was requested.');
    return 0;
  }

  const client = await account.client();
  const service = new ServiceProbe({ client, settings, reports });
  const { results, lastError } = await tryClaims(service, console.redact);
  if (lastError && results.every(({ result }) => result === 'not tried')) throw lastError;

  await printResults(tools, results);
  if (lastError) throw lastError;
  const differs = results.some(({ kind, result }) => kind === 'documented' && result === 'differs');
  return differs ? differenceExitCode : 0;
}

async function readServiceSettings({ account }: DoctorTools): Promise<ProbeSettings> {
  const { profile, encoding, windowClock } = await account.settings();
  const { credentials } = await account.signIn();
  return {
    profile: profile.value,
    encoding: encoding.value,
    windowClock: windowClock.value,
    canSignIn: credentials !== undefined,
  };
}

/** Lists the reports and asks whether to request them. */
async function confirmReports(
  { account, console, host, isLocal }: DoctorTools,
  {
    settings,
    reports,
    isConfirmed,
  }: { settings: ProbeSettings; reports: readonly PlannedReport[]; isConfirmed: boolean },
): Promise<boolean> {
  const { baseUrl } = await account.signIn();
  const service = isLocal ? 'the local server' : printable(baseUrl.href);
  const count = formatPlural(reports.length, 'small report');
  console.note(`This requests ${count} from ${service}, with the ${settings.profile} profile:`);
  for (const { description } of reports) console.note(`  - ${description}`);
  if (isConfirmed || isLocal) return true;

  const prompt = new Prompt(host.stdin, console, host.signal);
  const question = { noun: 'permission to request them', flag: '--yes' };
  return prompt.choose(question, [
    { value: false, name: 'Request nothing' },
    { value: true, name: 'Request these reports' },
  ]);
}

/** Tries every claim that the profile has; none after an error that ends the trials. */
async function tryClaims(service: ServiceProbe, redact: (text: string) => string) {
  const results: ClaimResult[] = [];
  let lastError: AdreportError | undefined;

  for (const { id, kind, sentence, dspLacks, check } of claims) {
    const lacks = service.settings.profile === 'dsp' ? dspLacks : undefined;
    const reason = lastError?.message ?? lacks;
    let outcome: Outcome = { result: 'not tried', detail: reason ?? null };
    try {
      if (reason === undefined) outcome = toOutcome(await check(service));
    } catch (error) {
      outcome = toErrorOutcome(error);
      if (error instanceof AdreportError && endsTrials(error)) lastError = error;
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

/** Turns an error of the service into an outcome. Throws any other error. */
function toErrorOutcome(error: unknown): Outcome {
  if (error instanceof NotTried) return { result: 'not tried', detail: error.message };
  if (!(error instanceof AdreportError) || error instanceof InterruptedError) throw error;

  return { result: endsTrials(error) ? 'not tried' : 'differs', detail: error.message };
}

/** Fits a mark and the id of a claim. */
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

  const count = (wanted: ClaimResult['result']): number =>
    results.filter(({ result }) => result === wanted).length;
  const counts = `${count('holds')} hold, ${count('differs')} differ, ${count('not tried')} not tried`;
  await console.result(`\n${formatPlural(results.length, 'claim')}: ${counts}.`);
}
