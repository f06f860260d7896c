import { exitCodes } from '../errors.ts';
import type { Block } from '../ui/page.ts';

/** What to do about a code; those without an entry speak for themselves. */
const advice: Readonly<Record<number, string>> = {
  1: 'Please report it, with the command; -vv shows where it happened.',
  2: 'Nothing was sent. The message names the flag or the line, and what would be right.',
  3: 'Sign in with adreport login, or set ADREPORT_TOKEN. adreport doctor tells which token was used.',
  4: 'The message is the service’s own. The same request is rejected again.',
  5: 'Run the same command again later. adreport doctor finds out where it fails.',
  6: 'Run the command again: it creates a new report.',
  7: 'Nothing is lost: run the same command again, or the one that the message names.',
  8: 'The old file is untouched. Check the path, the space and the permissions.',
  9: 'The old file is untouched. Run the command again; with --strict missing days count too.',
  130: 'The message names the command that goes on.',
  143: 'The same, for a job that was stopped.',
};

/** The table of exit codes, with what to do about each. */
export function writeTopic(): readonly Block[] {
  return [
    'Every command ends with one of these, so that a script can tell what happened without reading messages.',
    {
      terms: exitCodes.map(([code, meaning]) => [
        String(code),
        [`${meaning}.`, advice[code]].filter(Boolean).join(' '),
      ]),
    },
    `Worth another try as they are: 5 and 7. With --json an error is one line on stderr: an object "error" with code,
    message, hint, retryable, exitCode and reportId. Of many parts or reports the others finish, and the code is that of the
    one that failed first.`,
    { heading: 'Examples' },
    {
      examples: [
        ['adreport run --period yesterday -o day.csv || echo "exit $?"', 'in a script'],
        ['adreport status nothing --json 2>&1 | head -1', 'an error for programs'],
      ],
    },
  ];
}
