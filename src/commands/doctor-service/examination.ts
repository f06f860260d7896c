import { resolve } from 'node:path';
import { createHttp, readProxy } from '../../api/http.ts';
import { requireSignIn, type Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { version } from '../../context.ts';
import { type StatementKind, statements } from '../../contract/statements.ts';
import type { Profile } from '../../contract/vocabulary.ts';
import { UnreachableError } from '../../errors.ts';
import { checkTarget, openOutput } from '../../output/file/output-file.ts';
import { wrap } from '../../text/cell-width.ts';
import { printable, visibleJson } from '../../text/printable.ts';
import { formatPlural } from '../../text/quantity.ts';
import type { Console } from '../../ui/console.ts';
import { createPrompt } from '../../ui/prompt.ts';
import { ServiceCalls } from './calls.ts';
import { ServiceRecording } from './recording.ts';
import { planTrialReports, type TrialReport } from './trial-reports.ts';
import { ServiceTrials } from './trials.ts';
import { type TrialResult, Verdicts } from './verdicts.ts';

/** How the examination of a service is made. */
export interface ServiceExaminationOptions {
  /** How long one call may take. */
  readonly timeoutMs: number;
  /** Whether the reports are ordered without a question. */
  readonly isAgreed: boolean;
  /** The file that the shapes of all exchanges are written to. */
  readonly recordFile: string | undefined;
  /** Whether keys that the contract does not know stand in that file as they are. */
  readonly keepsKeys: boolean;
}

/** One statement, and what its trial came to. */
interface StatementResult {
  readonly id: string;
  readonly kind: StatementKind;
  readonly sentence: string;
  readonly result: TrialResult;
  /** What came instead, or why the statement was not tried. */
  readonly said: string | null;
}

/** What a statement that is described and differs ends the program with: the data would be read wrongly. */
const exitCodeOfDifference = 9;

/**
 * Tries against the account what adreport relies on in the service, and prints what each statement came to. The exit code
 * is 9 where a described one differs. Throws `UsageError` where nobody agreed to the reports, and nobody can be asked, and
 * `OutputError` where the recording cannot be written.
 */
export async function examineService(
  context: Context,
  options: ServiceExaminationOptions,
): Promise<number> {
  const settings = await context.settings();
  requireSignIn(settings);

  const recordPath = options.recordFile && resolve(context.host.cwd, options.recordFile);
  if (recordPath) await checkTarget(recordPath);

  const reports = planTrialReports({
    profile: settings.profile.value,
    windowClock: settings.windowClock.value,
    nowMs: context.host.wallClock(),
  });
  const isAgreed = await agreeOn(context, { settings, reports, options });
  if (!isAgreed) {
    context.console.note('Nothing was ordered.');
    return 0;
  }

  const results = await tryStatements(context, { settings, reports, options });

  const isDifferent = results.some(
    ({ kind, result }) => kind === 'described' && result === 'differs',
  );
  return isDifferent ? exitCodeOfDifference : 0;
}

/** What the trials need. */
interface TrialSetup {
  readonly settings: Settings;
  readonly reports: readonly TrialReport[];
  readonly options: ServiceExaminationOptions;
}

/** Lists the reports that will be ordered, and asks whether they may be. */
async function agreeOn(
  { console, host, isLocal }: Context,
  { settings, reports, options }: TrialSetup,
): Promise<boolean> {
  const service = isLocal ? 'the local server' : printable(requireSignIn(settings).baseUrl.href);
  const count = formatPlural(reports.length, 'small report');
  console.note(`This orders ${count} from ${service}, with the ${settings.profile.value} profile:`);
  for (const { description } of reports) console.note(`  - ${description}`);
  // The server in this process is nobody's account.
  if (options.isAgreed || isLocal) return true;

  const prompt = createPrompt(host.stdin, console, host.signal);
  const question = { what: 'permission to order them', flag: '--yes' };
  return prompt.choose(question, [
    { value: false, name: 'Order nothing' },
    { value: true, name: 'Order these reports' },
  ]);
}

/**
 * Tries the statements, prints what each came to, and records the exchanges. Where the service can no longer be reached,
 * what was found until then is printed all the same.
 */
async function tryStatements(
  context: Context,
  { settings, reports, options }: TrialSetup,
): Promise<StatementResult[]> {
  const { console, host, isLocal } = context;
  const { baseUrl, token } = requireSignIn(settings);
  const profile = settings.profile.value;
  const proxy = readProxy(host.env);
  if (proxy) console.hide(decodeURIComponent(proxy.url.password));

  const http = await createHttp({
    timeoutMs: options.timeoutMs,
    userAgent: `adreport/${version}`,
    proxy,
    trace: (line) => console.trace(1, line),
  });
  const recording = new ServiceRecording(options.keepsKeys);
  const verdicts = new Verdicts();
  const trials = new ServiceTrials({
    calls: new ServiceCalls({
      http,
      baseUrl,
      host,
      onExchange: (call, answer) => recording.add(call, answer),
    }),
    verdicts,
    settings: {
      profile,
      encoding: settings.encoding.value,
      windowClock: settings.windowClock.value,
      token,
      credentials: credentialsOf(settings, isLocal),
      hide: console.hide,
    },
    reports,
    host,
    progress: await context.progress(),
  });

  try {
    await trials.run();
    const results = resultsOf(profile, verdicts, console);
    await printResults(context, results);
    return results;
  } catch (error) {
    if (error instanceof UnreachableError) {
      verdicts.skipOthers(profile, error.message);
      await printResults(context, resultsOf(profile, verdicts, console));
    }
    throw error;
  } finally {
    await http.close();
    // A service that cannot be examined to the end is the one whose recording is wanted most.
    if (options.recordFile) {
      const results = resultsOf(profile, verdicts, console);
      await writeRecording(context, { settings, options, recording, results });
    }
  }
}

/** What each statement of a profile came to. */
function resultsOf(profile: Profile, verdicts: Verdicts, console: Console): StatementResult[] {
  const results: StatementResult[] = [];
  for (const { id, kind, sentence, profiles } of statements) {
    if (!profiles.some((name) => name === profile)) continue;
    const { result, said } = verdicts.get(id) ?? { result: 'not tried', said: null };
    results.push({ id, kind, sentence, result, said: said && console.redact(said) });
  }
  return results;
}

/** What is written of an examination. */
interface RecordingSetup {
  readonly settings: Settings;
  readonly options: ServiceExaminationOptions;
  readonly recording: ServiceRecording;
  readonly results: readonly StatementResult[];
}

/** Writes the recording, and says where it is. */
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

  const file = await openOutput(path);
  await file.write(Buffer.from(recording.toText(facts, outcomes)));
  await file.commit();
  console.note(`The recording of the calls is in ${path}.`);
  console.note(
    'It is meant to hold no value, name, id, address or token. Read it before you send it to anybody.',
  );
}

/** The e-mail address and the password to sign in with; of the server in this process they are no secret. */
function credentialsOf(settings: Settings, isLocal: boolean) {
  if (isLocal) return { email: `${settings.account.value}@example.com`, password: 'demo' };

  const email = settings.email.value;
  const password = settings.password.value;
  return email && password ? { email, password } : undefined;
}

async function printResults(
  { console, flags }: Context,
  results: readonly StatementResult[],
): Promise<void> {
  if (flags.json) {
    await console.result(visibleJson({ statements: results }));
    return;
  }

  for (const result of results) {
    await console.result(linesOf(result, console.out).join('\n'));
  }
  const count = (wanted: TrialResult): number =>
    results.filter(({ result }) => result === wanted).length;
  const counts = `${count('holds')} hold, ${count('differs')} differ, ${count('not tried')} not tried`;
  await console.result(`\n${formatPlural(results.length, 'statement')}: ${counts}.`);
  if (count('differs') > 0) {
    console.note('What each statement means, and which settings help: adreport help real-service');
  }
}

/** What the sentence of a statement stands behind: its mark and its number. */
const indent = 9;

/** A statement as lines for people: its mark, its number and its sentence, and below them what came instead. */
function linesOf({ id, kind, sentence, result, said }: StatementResult, out: Console['out']) {
  const { showsUnicode } = out;
  const width = Math.max(30, Math.min(120, out.width) - indent);
  const colour = colourOf(result, out);

  const kindText = result === 'differs' ? ` (${kind})` : '';
  const lines = wrap(sentence + kindText, width);
  if (said !== null) {
    const arrow = showsUnicode ? '→' : '=>';
    const text = `${arrow} ${result}: ${said}`;
    lines.push(...wrap(printable(text), width).map((line) => colour(line)));
  }

  const head = `${colour(markOf(result, showsUnicode))} ${id.padEnd(indent - 5)}  `;
  return lines.map((line, index) => (index === 0 ? head : ' '.repeat(indent)) + line);
}

function markOf(result: TrialResult, showsUnicode: boolean): string {
  if (result === 'not tried') return '- ';
  if (result === 'holds') return showsUnicode ? '✓ ' : 'ok';
  return showsUnicode ? '✗ ' : 'x ';
}

function colourOf(result: TrialResult, { style }: Console['out']) {
  if (result === 'holds') return style.green;
  return result === 'differs' ? style.red : style.dim;
}
