import { profiles } from '../contract/vocabulary.ts';
import { checkTimeoutMs, type DoctorResult, diagnose } from '../doctor/diagnose.ts';
import { type Mark, printEntry } from '../doctor/print-entry.ts';
import { tryService } from '../doctor/service.ts';
import { flagGroup } from '../query/flags/flag.ts';
import type { Context } from '../run/context.ts';
import { visibleJson } from '../text/printable.ts';
import { declareCommand } from './command.ts';

const doctorFlags = flagGroup('Flags:', {
  account: { flags: '--account <name>', meaning: 'stored account to check' },
  baseUrl: { flags: '--base-url <url>', meaning: 'base URL of the service' },
  local: { flags: '--local', meaning: 'check with a local server inside this process' },
  service: {
    flags: '--service',
    meaning: 'request a few small reports and check the service against its documentation',
  },
  yes: { flags: '--yes', meaning: 'with --service: request the reports without asking' },
  profile: {
    flags: '--profile <name>',
    meaning: 'with --service: buyer or dsp (default: the account’s)',
    choices: profiles,
  },
});

export const doctorCommand = declareCommand({
  name: 'doctor',
  summary: 'diagnose settings, network and sign-in',
  examples: [
    ['adreport doctor --local', 'without an account'],
    ['adreport doctor --service --local', 'check every claim about the service'],
  ],
  flags: [doctorFlags],
  // Even a single failed call is a problem.
  contextOptions: { retries: 0, timeout: checkTimeoutMs },
  action({ context, options }) {
    const { service, yes: isConfirmed = false } = options;
    return service ? tryService(context, isConfirmed) : doctor(context);
  },
});

/** Prints each result with its fix, and returns the exit code of the first problem. */
async function doctor(context: Context): Promise<number> {
  const results = await diagnose(context);
  await printResults(context, results);
  return results.find(({ status }) => status === 'broken')?.exitCode ?? 0;
}

/** Width of a mark and the name of a check, in columns. */
const indent = 18;

const marks: Readonly<Record<DoctorResult['status'], Mark>> = {
  ok: 'good',
  warning: 'note',
  broken: 'problem',
};

/** Redacts secrets, because the service may echo them. */
async function printResults(
  { console, flags }: Context,
  results: readonly DoctorResult[],
): Promise<void> {
  const safeResults = results.map((result) => ({
    ...result,
    message: console.redact(result.message),
    fix: result.fix && console.redact(result.fix),
  }));
  if (flags.json) return console.result(visibleJson(safeResults));

  for (const { check: name, status, message, fix: detail } of safeResults) {
    await printEntry({ mark: marks[status], name, message, detail }, indent, console);
  }
}
