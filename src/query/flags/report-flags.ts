import { settingTable } from '../../account/settings.ts';
import { windowClocks } from '../../contract/messages.ts';
import { profiles } from '../../contract/vocabulary.ts';
import { type OptionsOf, runFlagGroup } from './flag.ts';

/** Flags for the content of a report. Their values are parsed in `query/`. */
const contentFlags = runFlagGroup('Report:', {
  profile: {
    belongsTo: 'spec',
    partOf: 'request',
    flags: settingTable.profile.flag,
    meaning: 'buyer or dsp (default: the account’s, otherwise buyer)',
    words: profiles,
  },
  metrics: {
    belongsTo: 'spec',
    partOf: 'request',
    flags: '--metrics <a,b>',
    meaning: 'metrics, in column order (default: all of the profile)',
  },
  by: {
    belongsTo: 'spec',
    partOf: 'request',
    flags: '--by <a,b>',
    meaning: 'breakdowns, e.g. DAILY,CAMPAIGN or WEEKLY; any case',
  },
  breakdowns: {
    belongsTo: 'spec',
    partOf: 'request',
    flags: '--breakdowns <a,b>',
    meaning: 'the same as --by',
    conflicts: ['by'],
    isHidden: true,
  },
  filter: {
    belongsTo: 'spec',
    partOf: 'request',
    flags: '--filter <name=v1,v2>',
    meaning: 'keep only rows with one of these values; repeatable',
    isRepeatable: true,
  },
  country: {
    belongsTo: 'spec',
    partOf: 'request',
    flags: '--country <a,b>',
    meaning: 'only these countries, by ISO code or name: FR,Germany,España; repeatable',
    isRepeatable: true,
  },
  campaign: {
    belongsTo: 'spec',
    partOf: 'request',
    flags: '--campaign <name>',
    meaning: "only campaigns with this name, e.g. 'Summer*'; repeatable",
    isRepeatable: true,
  },
  adUnit: {
    belongsTo: 'spec',
    partOf: 'request',
    flags: '--ad-unit <name>',
    meaning: 'only ad units with this name',
    isRepeatable: true,
    isRare: true,
  },
  advertiser: {
    belongsTo: 'spec',
    partOf: 'request',
    flags: '--advertiser <name>',
    meaning: 'only advertisers with this name (admin accounts)',
    isRepeatable: true,
    isRare: true,
  },
});

const windowFlags = runFlagGroup('Period:', {
  period: {
    belongsTo: 'spec',
    flags: '--period <p>',
    meaning:
      'e.g. yesterday, last-7d, last-week, this-month, 2026-10, 2026-W45, 2026-11-01..2026-11-15',
  },
  since: {
    belongsTo: 'spec',
    flags: '--since <t>',
    meaning: 'start of the period: 2026-11-01, 2026-11-01T09:30, today, -7d, -36h',
  },
  until: {
    belongsTo: 'spec',
    flags: '--until <t>',
    meaning: 'end of the period, inclusive, in the same forms (default: now)',
  },
  timezone: {
    belongsTo: 'spec',
    partOf: 'request',
    flags: '--timezone <tz>',
    meaning: 'time zone of the report, DSP only (buyer: always Europe/Paris)',
    isRare: true,
  },
});

const requestFlags = runFlagGroup('Request:', {
  windowClock: {
    belongsTo: 'spec',
    partOf: 'settings',
    flags: settingTable.windowClock.flag,
    meaning: 'how the service reads since and until: instant or wall (default: the account’s)',
    words: windowClocks,
    isRare: true,
  },
  direct: {
    belongsTo: 'this-run',
    flags: '--direct',
    meaning: 'request the data in the first response (output=direct)',
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

/** Flags of a report that is requested, but not downloaded. */
export const reportCreateFlags = [
  contentFlags,
  windowFlags,
  runFlagGroup(requestFlags.heading, undirectedFlags),
] as const;

export const reportFlags = [contentFlags, windowFlags, requestFlags] as const;

export type ReportFlags = OptionsOf<typeof reportFlags>;
