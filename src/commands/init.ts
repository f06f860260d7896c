import { resolve } from 'node:path';
import { projectFileName } from '../account/project-file.ts';
import { OutputError } from '../errors.ts';
import { openOutput } from '../output/file/output-file.ts';
import type { Context } from '../run/context.ts';
import { declareCommand } from './command.ts';

export const initCommand = declareCommand({
  name: 'init',
  summary: 'create adreport.yaml, a list of named reports, with comments',
  examples: [
    ['adreport init', 'writes adreport.yaml into this folder, with comments'],
    ['adreport run --all --local', 'runs its reports, without an account'],
  ],
  async action({ context }) {
    await init(context);
    return 0;
  },
});

/** Content of the file, which runs unchanged. */
const example = `# Reports to run by name: adreport run weekly-page, or adreport run --all.
# The keys are the flags of adreport run (adreport run --help). A flag on the command line overrides its key.
# Keep tokens, passwords and base URLs out of this file: use \`adreport login\` or ADREPORT_* variables instead.

defaults: # apply to every report below
  # account: agency          # a stored account; to use several, put {account} in every output
  profile: buyer             # or dsp
  metrics: [displays, clicks, revenueEuro]

reports:
  # Last week for people, each Monday: a page to read, and a spreadsheet.
  weekly-page:
    period: last-week
    by: [DAILY, CAMPAIGN]
    output: weekly/{since}.html
    # campaign: Summer*                           # by name
    # country: [FR, Germany]

  weekly-sheet:
    period: last-week
    by: [DAILY, CAMPAIGN, COUNTRY]
    output: weekly/{since}.xlsx

  # A folder with a file per day, each night. The last 3 days are downloaded again, because conversions arrive late.
  nightly:
    period: last-30d
    by: CAMPAIGN
    split: day
    lookback: 3
    output: nightly/{date}.csv
`;

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
