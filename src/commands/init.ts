import { resolve } from 'node:path';
import { projectFileName } from '../account/project-file.ts';
import { OutputError } from '../errors.ts';
import { openOutput } from '../output/file/output-file.ts';
import type { Context } from '../run/context.ts';
import { declareCommand } from './command.ts';

export const initCommand = declareCommand({
  name: 'init',
  summary: 'create adreport.yaml with a weekly and a nightly report',
  examples: [
    ['adreport init', 'write adreport.yaml into this folder'],
    ['adreport run --all --local', 'run its reports, without an account'],
  ],
  action: ({ context }) => init(context),
});

/** Initial content of `adreport.yaml`, which works as is. */
const example = `# Reports to run by name: adreport run weekly, or adreport run --all.
# The keys are the flags of adreport run. A flag on the command line wins.
# Tokens, passwords and base URLs do not belong here: see adreport help settings.

defaults: # for every report below
  # account: agency               # a stored account
  profile: buyer                  # or dsp
  # metrics: [displays, clicks, revenueEuro]
  # label: revenueEuro=Spend      # what readers see instead of “Revenue (€)”

reports:
  # Each Monday: last week and its change, as a page to read and a spreadsheet.
  weekly:
    period: last-week
    by: [DAILY, CAMPAIGN]
    compare: previous
    output:
      - weekly/{since}.html
      - weekly/{since}.xlsx
    # campaign: Summer*           # by name
    # country: [FR, Germany]

  # Each night: one file per day. Conversions arrive late: each day is downloaded again for 3 days.
  nightly:
    period: last-30d
    by: CAMPAIGN
    split: day
    lookback: 3
    output: data/{date}.csv
`;

/** Creates `adreport.yaml`. Throws `OutputError` if it exists in the working folder. */
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
    // The usual hints suggest -o and --no-clobber, which init does not have.
    const message =
      cause.code === 'EEXIST'
        ? `${projectFileName} already exists and was not changed.`
        : cause.message;
    const hint = 'Edit or delete that file, or run adreport init in another writable folder.';
    throw new OutputError(message, { code: cause.code, hint, cause });
  }
  console.note(`Wrote ${projectFileName}. Try it without an account: adreport run --all --local`);
}
