import { resolve } from 'node:path';
import type { Settings } from '../../account/resolve.ts';
import type { Credentials } from '../../api/client.ts';
import { createHttp, readProxy } from '../../api/http.ts';
import type { Context } from '../../context.ts';
import { version } from '../../context.ts';
import { type StatementId, type StatementKind, statements } from '../../contract/statements.ts';
import type { Profile } from '../../contract/vocabulary.ts';
import { UnreachableError } from '../../errors.ts';
import { expectValidOnWindows } from '../../output/file/file-name.ts';
import { checkTarget, openOutput } from '../../output/file/output-file.ts';
import { expectNoUrl } from '../../output/file/url.ts';
import { printable, visibleJson } from '../../text/printable.ts';
import { formatPlural } from '../../text/quantity.ts';
import type { Console } from '../../ui/console.ts';
import { Prompt } from '../../ui/prompt.ts';
import { type Mark, resultLines } from '../result-lines.ts';
import { ServiceCalls } from './calls.ts';
import { addCauses } from './explanations.ts';
import { ServiceRecording } from './recording.ts';
import type { TrialVerdict } from './trial.ts';
import { planTrialReports, type TrialReport } from './trial-reports.ts';
import { tryStatements } from './trials.ts';
import { TriedService } from './tried-service.ts';

export interface ServiceExaminationOptions {
  /** Time limit of each call. */
  readonly timeoutMs: number;

  /** True to order the reports without asking. */
  readonly isConfirmed: boolean;

  /** A file for the shapes of all exchanges. */
  readonly recordFile: string | undefined;
}

/** A statement with its verdict. */
interface StatementResult extends TrialVerdict {
  readonly id: string;
  readonly kind: StatementKind;
  readonly sentence: string;
}

/** The exit code if a described statement differs: adreport would misread the data. */
const differenceExitCode = 9;

/**
 * Tries each statement on the service, prints the results, and returns the exit code. Throws
 * `UsageError` if the reports are not confirmed and there is no terminal to ask, and `OutputError`
 * if the recording cannot be written.
 */
export async function examineService(
  context: Context,
  options: ServiceExaminationOptions,
): Promise<number> {
  const { platform } = context.host;
  const { recordFile = '' } = options;
  expectNoUrl({ flag: '--record', name: recordFile, platform });
  const settings = await context.account.settings();
  await context.account.signIn();

  const recordPath = options.recordFile && resolve(context.host.cwd, options.recordFile);
  if (options.recordFile) expectValidOnWindows(options.recordFile, context.host.platform);
  if (recordPath) await checkTarget(recordPath, { machine: context.host });

  const reports = planTrialReports({
    profile: settings.profile.value,
    windowClock: settings.windowClock.value,
    nowMs: context.host.wallClock(),
  });
  const isConfirmed = await confirmOrders(context, { settings, reports, options });
  if (!isConfirmed) {
    context.console.note('Nothing was ordered.');
    return 0;
  }

  const results = await examine(context, { settings, reports, options });

  const isDifferent = results.some(
    ({ kind, result }) => kind === 'described' && result === 'differs',
  );
  return isDifferent ? differenceExitCode : 0;
}

interface TrialSetup {
  readonly settings: Settings;
  readonly reports: readonly TrialReport[];
  readonly options: ServiceExaminationOptions;
}

/** Lists the reports and asks for permission to order them. */
async function confirmOrders(
  { account, console, host, isLocal }: Context,
  { settings, reports, options }: TrialSetup,
): Promise<boolean> {
  const { baseUrl } = await account.signIn();
  const service = isLocal ? 'the local server' : printable(baseUrl.href);
  const count = formatPlural(reports.length, 'small report');
  console.note(`This orders ${count} from ${service}, with the ${settings.profile.value} profile:`);
  for (const { description } of reports) console.note(`  - ${description}`);
  if (options.isConfirmed || isLocal) return true;

  const prompt = new Prompt(host.stdin, console, host.signal);
  const question = { what: 'permission to order them', flag: '--yes' };
  return prompt.choose(question, [
    { value: false, name: 'Order nothing' },
    { value: true, name: 'Order these reports' },
  ]);
}

/**
 * Tries the statements, prints the results and records the exchanges. If the service becomes
 * unreachable, the results so far are printed before the error is thrown.
 */
async function examine(
  context: Context,
  { settings, reports, options }: TrialSetup,
): Promise<readonly StatementResult[]> {
  const { console, host, isLocal } = context;
  const { baseUrl, token, credentials } = await context.account.signIn();
  const profile = settings.profile.value;
  const proxy = readProxy(host.env);
  if (proxy) console.hide(decodeURIComponent(proxy.url.password));

  const http = await createHttp({
    timeoutMs: options.timeoutMs,
    userAgent: `adreport/${version}`,
    proxy,
    trace: (line) => console.trace(1, line),
  });
  const recording = new ServiceRecording();
  const service = new TriedService({
    calls: new ServiceCalls({
      http,
      baseUrl,
      host,
      onExchange: (call, answer) => recording.add(call, answer),
    }),
    settings: {
      profile,
      encoding: settings.encoding.value,
      windowClock: settings.windowClock.value,
      token,
      credentials: isLocal ? localCredentials(settings) : credentials,
      hide: console.hide,
    },
    reports,
    host,
    progress: await context.progress(),
  });

  const verdicts = new Map<StatementId, TrialVerdict>();
  let results: readonly StatementResult[] = [];
  try {
    await tryStatements(service, verdicts);
    results = resultsOf({ profile, verdicts, stopReason: null }, console);
    await printResults(context, results);
    return results;
  } catch (error) {
    const stopReason = error instanceof UnreachableError ? error.message : null;
    results = resultsOf({ profile, verdicts, stopReason }, console);
    if (stopReason !== null) await printResults(context, results);
    throw error;
  } finally {
    await http.close();
    // Also after an error, when the recording is most useful.
    if (options.recordFile) {
      await writeRecording(context, { settings, options, recording, results });
    }
  }
}

interface Outcomes {
  readonly profile: Profile;
  readonly verdicts: ReadonlyMap<StatementId, TrialVerdict>;

  /** Why the other statements were not tried; `null` if unknown. */
  readonly stopReason: string | null;
}

function resultsOf(
  { profile, verdicts, stopReason }: Outcomes,
  console: Console,
): StatementResult[] {
  const untried: TrialVerdict = { result: 'not tried', said: stopReason };
  const allVerdicts = addCauses(verdicts);
  const results: StatementResult[] = [];
  for (const { id, kind, sentence, profiles } of statements) {
    if (!profiles.some((name) => name === profile)) continue;
    const { result, said } = allVerdicts.get(id) ?? untried;
    results.push({ id, kind, sentence, result, said: said && console.redact(said) });
  }
  return results;
}

interface RecordingSetup {
  readonly settings: Settings;
  readonly options: ServiceExaminationOptions;
  readonly recording: ServiceRecording;
  readonly results: readonly StatementResult[];
}

/** Writes the recording and prints its path. */
async function writeRecording(
  { console, host, isLocal }: Context,
  { settings, options, recording, results }: RecordingSetup,
): Promise<void> {
  const path = resolve(host.cwd, options.recordFile ?? '');
  const facts = {
    adreport: version,
    node: process.version,
    platform: process.platform,
    profile: settings.profile.value,
    encoding: settings.encoding.value,
    windowClock: settings.windowClock.value,
    isLocal,
    hasProxy: readProxy(host.env) !== undefined,
  };
  const outcomes = Object.fromEntries(results.map(({ id, result }) => [id, result]));

  const file = await openOutput(path, { machine: host });
  await file.write(Buffer.from(recording.toText(facts, outcomes)));
  await file.commit();
  console.note(`The recording of the calls is in ${path}.`);
  console.note(
    'It should contain no value, name, id, address or token. Read it before you send it.',
  );
}

/** The public credentials of the server in this process. */
function localCredentials({ account }: Settings): Credentials {
  return { email: `${account.value}@example.com`, password: 'demo' };
}

/** The width of a mark and a statement's number. */
const indent = 9;

const marks: Readonly<Record<TrialVerdict['result'], Mark>> = {
  holds: 'good',
  differs: 'finding',
  'not tried': 'unknown',
};

async function printResults(
  { console, flags }: Context,
  results: readonly StatementResult[],
): Promise<void> {
  if (flags.json) {
    await console.result(visibleJson({ statements: results }));
    return;
  }

  for (const { id: name, kind, sentence, result, said } of results) {
    const message = result === 'differs' ? `${sentence} (${kind})` : sentence;
    const detail = said && `${result}: ${said}`;
    const entry = { mark: marks[result], name, message, detail };
    await console.result(resultLines(entry, indent, console.out).join('\n'));
  }
  const count = (wanted: TrialVerdict['result']): number =>
    results.filter(({ result }) => result === wanted).length;
  const counts = `${count('holds')} hold, ${count('differs')} differ, ${count('not tried')} not tried`;
  await console.result(`\n${formatPlural(results.length, 'statement')}: ${counts}.`);
  if (count('differs') > 0) {
    console.note('To list the statements and the settings that help: adreport help real-service');
  }
}
