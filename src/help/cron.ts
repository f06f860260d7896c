import { savedKeys } from '../app/saved-reports.ts';
import { projectFileName } from '../config/project-file.ts';
import type { Block } from '../ui/page.ts';

/** How unattended jobs are written, and what keeps them right. */
export function writeTopic(): readonly Block[] {
  return [
    `One line keeps a folder complete: a report a day, only those whose file is absent, and the last days again because
    conversions are still being counted. Nothing is remembered but the files, so an outage heals itself.`,
    {
      examples: [
        [
          "adreport run --local --period last-7d --by CAMPAIGN --split day --missing --lookback 3 -o 'data/date={date}/part.csv' -q",
          'a file a day',
        ],
      ],
    },
    { heading: 'A crontab' },
    `ADREPORT_BASE_URL, ADREPORT_EMAIL and ADREPORT_PASSWORD stand at its top: a token lives two hours, and with them it is
    renewed, in the middle of a run too. In a crontab a % is written \\%. flock -n keeps two runs apart; if they meet all
    the same, each file is still whole.`,
    { heading: 'What may happen' },
    {
      terms: [
        ['the service is busy', 'calls are repeated (--retries), and Retry-After is obeyed; exit 5 in the end'],
        ['the wait is too long', '--wait-timeout ends it, exit 7; the next run picks the report up'],
        ['the machine dies', 'the file is the old one or the new one, never a part'],
        ['a part fails', 'the others finish; --missing fetches it next time'],
        ['days are missing', 'a warning; with --strict exit 9'],
      ],
    },
    { heading: 'Many machines' },
    'Kubernetes, Airflow or GNU parallel give each machine a share of the parts: --shard 1/4, 2/4, 3/4, 4/4.',
    { heading: projectFileName },
    `Reports saved by name, found here or in a folder above: adreport run NAME, or --all; flags override. Its keys, under
    defaults: and each of reports:, are the flags: ${savedKeys.join(', ')}.`,
    {
      examples: [
        ['adreport init', `writes a commented ${projectFileName}`],
        ['adreport run nightly --local', 'one of its reports'],
        ['adreport run --all --dry-run', 'what all of them would ask for'],
      ],
    },
  ];
}
