import { resolve } from 'node:path';
import { projectFileName } from '../../config/project-file-path.ts';
import type { Context } from '../../context.ts';
import { OutputError } from '../../errors.ts';
import { openOutput } from '../../output/file/output-file.ts';
import type { GlobalFlags } from '../flags.ts';

/** A file of saved reports that explains itself, and runs as it stands. */
const example = `# Reports to run by name: adreport run nightly, or adreport run --all.
# The keys are the flags of adreport run (adreport run --help), and a flag on the command line overrides its key.
# No token, password or address belongs here: adreport login stores them, or ADREPORT_* in the environment.

defaults: # for every report below
  # account: agency          # a stored account; without it the default one
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

/** Writes a commented `adreport.yaml` into the working folder. Throws `OutputError` where there is one already. */
export async function init({ console, host }: Context, _options: GlobalFlags): Promise<void> {
  const file = await openOutput(resolve(host.cwd, projectFileName), { noClobber: true }).catch((error: unknown) => {
    throw error instanceof OutputError && error.code === 'EEXIST' ? alreadyThere(error) : error;
  });
  await file.write(Buffer.from(example));
  await file.commit();
  console.note(`Wrote ${projectFileName}. Try it without an account: adreport run --all --local`);
}

function alreadyThere(cause: OutputError): OutputError {
  return new OutputError(`There is an ${projectFileName} already, and it was left as it is.`, {
    code: cause.code,
    hint: 'Move it away to have the commented example, or run it in another folder.',
    cause,
  });
}
