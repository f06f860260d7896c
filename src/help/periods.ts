import { defaultZone } from '../contract/messages.ts';
import { dayNames } from '../report/window/dates.ts';
import { formatDate } from '../report/window/window.ts';
import { resolveWindow } from '../report/window/window-flags.ts';
import type { Block } from '../ui/page.ts';
import type { TopicFacts } from './index.ts';

/** Every form of `--period`, with what it comes to on the day of reading. */
export function writeTopic({ nowMs }: TopicFacts): readonly Block[] {
  const year = formatDate(Math.floor(nowMs / 1_000), defaultZone).slice(0, 4);
  const forms = [
    ...dayNames,
    'last-7d',
    'last-4w',
    'last-24h',
    year,
    `${year}-Q1`,
    `${year}-02`,
    `${year}-W07`,
    `${year}-02-14`,
    `${year}-02-01..${year}-02-14`,
    `${year}-01..${year}-03`,
  ];
  return [
    'A report covers a window, from its first second to its last: --period names it, or --since and --until do.',
    { heading: '--period, and what it means now' },
    { terms: forms.map((period) => [period, daysOf(period, nowMs)]) },
    `Case does not matter. Weeks begin on Monday; last-7d is seven whole days before today, last-24h the 24 hours that
    end now. A range takes any two days, weeks, months, quarters or years.`,
    { heading: '--since and --until' },
    {
      terms: [
        [`${year}-02-14`, 'a day, or any period of days: its first second for --since, its last for --until'],
        [`${year}-02-14T09:30`, 'a time of the report’s zone; with Z or +01:00 a time of its own'],
        ['-36h, -7d, -2w', 'so long ago'],
        ['now', 'this second; the default of --until'],
        ['1417392000', 'unix seconds'],
      ],
    },
    { heading: 'Whose days' },
    `Days are those of the report’s zone: ${defaultZone} for a buyer, --timezone for a DSP (default ${defaultZone}), never
    this machine’s. A wall time that a clock change skips or doubles is resolved, the first instant for --since and the
    last for --until, and said.`,
    { heading: 'Examples' },
    {
      examples: [
        ['adreport run --period last-week --by DAILY --dry-run', 'shows the window, sends nothing'],
        [`adreport run --since ${year}-02-01 --until ${year}-02-14 --dry-run`, 'both days whole'],
        ['adreport run --local --since -36h --by HOURLY', 'up to now'],
      ],
    },
  ];
}

function daysOf(period: string, nowMs: number): string {
  const { since, until, zone } = resolveWindow({ period, zone: defaultZone, nowMs });
  if (/\dh$/.test(period)) return 'the hours that end now';
  const [first, last] = [since, until].map((instant) => formatDate(instant, zone));
  return first === last ? `${first}` : `${first} to ${last}`;
}
