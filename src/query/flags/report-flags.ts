import { windowClocks } from '../../contract/messages.ts';
import { profiles } from '../../contract/vocabulary.ts';
import { flagGroup } from './flag.ts';
import { parseFilter, parseList } from './read-value.ts';

const contentFlags = flagGroup('Report:', {
  profile: {
    flags: '--profile <name>',
    meaning: 'buyer or dsp (default: the account’s, otherwise buyer)',
    choices: profiles,
  },
  metrics: {
    flags: '--metrics <a,b>',
    meaning: 'request these metrics, in this order (default: all of the profile)',
    read: parseList,
  },
  by: {
    flags: '--by <a,b>',
    meaning: 'group by these breakdowns, e.g. DAILY,CAMPAIGN (any case)',
    read: parseList,
  },
  filter: {
    flags: '--filter <name=v1,v2>',
    meaning: 'keep only rows with one of these values; repeatable',
    read: parseFilter,
    isRepeatable: true,
  },
  country: {
    flags: '--country <a,b>',
    meaning: 'keep only these countries, by ISO code or name: FR,Germany; repeatable',
    read: parseList,
  },
  campaign: {
    flags: '--campaign <name>',
    meaning: "keep only campaigns with this name, e.g. 'Summer*'; repeatable",
    read: parseList,
  },
  adUnit: {
    flags: '--ad-unit <name>',
    meaning: 'keep only ad units with this name',
    read: parseList,
    isRare: true,
  },
  advertiser: {
    flags: '--advertiser <name>',
    meaning: 'keep only advertisers with this name (admin accounts)',
    read: parseList,
    isRare: true,
  },
});

const periodFlags = flagGroup('Period:', {
  period: {
    flags: '--period <p>',
    meaning:
      'e.g. yesterday, last-7d, last-week, this-month, 2026-10, 2026-W45, 2026-11-01..2026-11-15',
  },
  since: {
    flags: '--since <t>',
    meaning: 'start of the period: 2026-11-01, 2026-11-01T09:30, today, -7d, -36h',
  },
  until: {
    flags: '--until <t>',
    meaning: 'end of the period, inclusive, in the same forms (default: now)',
  },
  timezone: {
    flags: '--timezone <tz>',
    meaning: 'time zone of the report, DSP only (buyer: always Europe/Paris)',
    isRare: true,
  },
});

const requestFlags = flagGroup('Request:', {
  windowClock: {
    flags: '--window-clock <kind>',
    meaning: 'send request times as instant (UTC) or wall (local time)',
    choices: windowClocks,
    isRare: true,
  },
  direct: {
    flags: '--direct',
    meaning: 'get the rows in the first response, without polling',
    isRare: true,
  },
  dryRun: {
    scope: 'command-line',
    flags: '--dry-run',
    meaning: 'print the period, the request and a curl command, but request no report',
  },
});

const { direct: _direct, ...undirectedFlags } = requestFlags.flags;

/** Flags of a report that is requested but not downloaded. */
export const reportCreateFlags = [
  contentFlags,
  periodFlags,
  flagGroup(requestFlags.heading, undirectedFlags),
] as const;

export const reportFlags = [contentFlags, periodFlags, requestFlags] as const;
