import { resolve } from 'node:path';
import { projectFileName } from '../account/project-file.ts';
import type { Context } from '../context.ts';
import { OutputError } from '../errors.ts';
import { openOutput } from '../output/file/output-file.ts';
import { declareCommand } from './command.ts';

export const initCommand = declareCommand({
  name: 'init',
  summary: 'write a commented adreport.yaml, for reports to run by name',
  examples: [
    ['adreport init', 'writes adreport.yaml into this folder, with comments'],
    ['adreport run --all --local', 'runs its reports, without an account'],
  ],
  async action({ context }) {
    await init(context);
    return 0;
  },
});

/** A file of saved reports that explains itself, and runs as it stands. */
const example = `# Reports to run by name: adreport run nightly, or adreport run --all.
# The keys are the flags of adreport run (adreport run --help), and a flag on the command line overrides its key.
# No token, password or address belongs here: adreport login stores them, or ADREPORT_* in the environment.

defaults: # for every report below
  # account: agency          # a stored account; without it the default one; of several, each output needs {account}
  # profile: dsp             # buyer or dsp; without it the account's
  metrics: displays, clicks, revenueEuro

reports:
  # A file a day. Run every night it keeps the folder complete, after an outage too; the last 3 days are fetched anew
  # each time, because conversions are still being counted.
  nightly:
    period: last-30d
    by: CAMPAIGN
    split: day
    missing: true
    lookback: 3
    output: data/date={date}/part.csv # beside this file

  # One file a week, for people.
  weekly:
    period: last-week
    by: [DAILY, CAMPAIGN, COUNTRY]
    # filter: { countryId: [3017382, 2921044] }   # France and Germany; adreport fields lists the filters
    # campaign: Summer*                           # by name
    excel: true
    output: weekly/{since}.csv
`;

/**
 * Writes a commented `adreport.yaml` into the working folder. Throws `OutputError` where there is
 * one already.
 */
async function init({ console, host }: Context): Promise<void> {
  try {
    const file = await openOutput(resolve(host.cwd, projectFileName), { noClobber: true });
    await file.write(Buffer.from(example));
    await file.commit();
  } catch (cause) {
    if (!(cause instanceof OutputError)) throw cause;
    // This command has neither -o nor --no-clobber, which the usual advice is about.
    const message =
      cause.code === 'EEXIST' ? `${projectFileName} exists already, and is kept.` : cause.message;
    const hint = 'Run adreport init in a folder that can be written to, and has none yet.';
    throw new OutputError(message, { code: cause.code, hint, cause });
  }
  console.note(`Wrote ${projectFileName}. Try it without an account: adreport run --all --local`);
}
