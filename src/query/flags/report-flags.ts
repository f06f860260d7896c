import { windowClocks } from '../../contract/messages.ts';
import { profiles } from '../../contract/vocabulary.ts';
import { runFlagGroup } from './flag.ts';
import { readFilter, readList } from './read-value.ts';

/** Flags for the content of a report. */
const contentFlags = runFlagGroup('Report:', {
  profile: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--profile <name>',
    meaning: 'buyer or dsp (default: the account’s, otherwise buyer)',
    words: profiles,
  },
  metrics: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--metrics <a,b>',
    meaning: 'metrics, in column order (default: all of the profile)',
    read: readList,
  },
  by: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--by <a,b>',
    meaning: 'breakdowns, e.g. DAILY,CAMPAIGN or WEEKLY; any case',
    noun: 'breakdown',
    read: readList,
  },
  filter: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--filter <name=v1,v2>',
    meaning: 'keep only rows with one of these values; repeatable',
    read: readFilter,
    isRepeatable: true,
  },
  country: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--country <a,b>',
    meaning: 'only these countries, by ISO code or name: FR,Germany; repeatable',
    read: readList,
  },
  campaign: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--campaign <name>',
    meaning: "only campaigns with this name, e.g. 'Summer*'; repeatable",
    read: readList,
  },
  adUnit: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--ad-unit <name>',
    meaning: 'only ad units with this name',
    read: readList,
    isRare: true,
  },
  advertiser: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--advertiser <name>',
    meaning: 'only advertisers with this name (admin accounts)',
    read: readList,
    isRare: true,
  },
});

const periodFlags = runFlagGroup('Period:', {
  period: {
    belongsTo: 'query',
    flags: '--period <p>',
    meaning:
      'e.g. yesterday, last-7d, last-week, this-month, 2026-10, 2026-W45, 2026-11-01..2026-11-15',
  },
  since: {
    belongsTo: 'query',
    flags: '--since <t>',
    meaning: 'start of the period: 2026-11-01, 2026-11-01T09:30, today, -7d, -36h',
  },
  until: {
    belongsTo: 'query',
    flags: '--until <t>',
    meaning: 'end of the period, inclusive, in the same forms (default: now)',
  },
  timezone: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--timezone <tz>',
    meaning: 'time zone of the report, DSP only (buyer: always Europe/Paris)',
    isRare: true,
  },
});

const requestFlags = runFlagGroup('Request:', {
  windowClock: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--window-clock <kind>',
    meaning: 'timestamps the service expects: instant (UTC) or wall (local time)',
    words: windowClocks,
    isRare: true,
  },
  direct: {
    belongsTo: 'query',
    flags: '--direct',
    meaning: 'get the rows in the first response, without polling',
    isRare: true,
  },
  dryRun: {
    belongsTo: 'this-run',
    flags: '--dry-run',
    meaning: 'print the period, the request and a curl command, without requesting a report',
    isNeverSaved: true,
  },
});

const { direct: _direct, ...undirectedFlags } = requestFlags.flags;

/** Flags of a report that is requested but not downloaded. */
export const reportCreateFlags = [
  contentFlags,
  periodFlags,
  runFlagGroup(requestFlags.heading, undirectedFlags),
] as const;

export const reportFlags = [contentFlags, periodFlags, requestFlags] as const;
