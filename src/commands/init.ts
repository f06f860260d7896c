import { resolve } from 'node:path';
import { projectFileName } from '../account/project-file.ts';
import type { Context } from '../context.ts';
import { defaultZone } from '../contract/messages.ts';
import { OutputError } from '../errors.ts';
import { openOutput } from '../output/file/output-file.ts';
import { flagsOf } from '../query/command-line.ts';
import type { ReportSpec } from '../query/spec.ts';
import { declareCommand } from './command.ts';

export const initCommand = declareCommand({
  name: 'init',
  summary: 'write a commented adreport.yaml with reports to run by name',
  examples: [
    ['adreport init', 'writes adreport.yaml into this folder, with comments'],
    ['adreport run --all --local', 'runs its reports, without an account'],
  ],
  async action({ context }) {
    await init(context);
    return 0;
  },
});

const request = { profile: 'buyer', metrics: ['displays', 'clicks', 'revenueEuro'] } as const;

const nightly: ReportSpec = {
  request: { ...request, breakdowns: ['CAMPAIGN'] },
  timezone: defaultZone,
  format: { name: 'csv' },
  period: 'last-30d',
  output: 'data/date={date}/part.csv',
  split: 'day',
  lookback: 3,
};

const weekly: ReportSpec = {
  request: { ...request, breakdowns: ['DAILY', 'CAMPAIGN', 'COUNTRY'] },
  timezone: defaultZone,
  format: { name: 'csv', excel: true },
  period: 'last-week',
  output: 'weekly/{since}.csv',
};

/** Content of the file, which runs unchanged. */
const example = `# Reports to run by name: adreport run nightly, or adreport run --all.
# The keys are the flags of adreport run (adreport run --help). A flag on the command line overrides its key.
# Keep tokens, passwords and base URLs out of this file: use \`adreport login\` or ADREPORT_* variables instead.

defaults: # apply to every report below
  # account: agency          # a stored account; to use several, put {account} in every output
  profile: buyer             # or dsp

reports:
  # A file per day. Run it every night to keep the folder complete. The last 3 days are downloaded again each time,
  # because conversions arrive late.
  nightly:
${savedKeysOf(nightly)}
    missing: true

  # A file per week, for people.
  weekly:
${savedKeysOf(weekly)}
    # filter: { countryId: [3017382, 2921044] }   # France and Germany; adreport fields lists the filters
    # campaign: Summer*                           # by name
`;

/** Formats the keys of a saved report as lines of YAML. */
function savedKeysOf(spec: ReportSpec): string {
  return flagsOf(spec)
    .map(({ key, value = 'true' }) => `    ${key}: ${value}`)
    .join('\n');
}

/** Throws `OutputError` if `adreport.yaml` exists in the working folder. */
async function init({ console, host }: Context): Promise<void> {
  try {
    const file = await openOutput(resolve(host.cwd, projectFileName), {
      host,
      noClobber: true,
    });
    await file.write(Buffer.from(example));
    await file.commit();
  } catch (cause) {
    if (!(cause instanceof OutputError)) throw cause;
    // The usual hints name -o and --no-clobber, which init does not have.
    const message =
      cause.code === 'EEXIST'
        ? `${projectFileName} already exists and was not changed.`
        : cause.message;
    const hint = 'Run adreport init in a writable folder without one.';
    throw new OutputError(message, { code: cause.code, hint, cause });
  }
  console.note(`Wrote ${projectFileName}. Try it without an account: adreport run --all --local`);
}
