import type { ServerOptions } from '../../../src/server/options.ts';
import type { AccountName } from '../../server/local.ts';

/** Command lines of one kind, with the service they run against. */
export interface Scene {
  readonly name: string;
  readonly account?: AccountName;
  readonly server?: ServerOptions;
  readonly env?: Readonly<Record<string, string>>;

  /** Files that are there before the first line. */
  readonly files?: Readonly<Record<string, string>>;

  /** True if the lines share one folder and its settings; otherwise each has its own. */
  readonly isStory?: boolean;

  /**
   * Command lines, with single quotes around words with blanks. In a story also `at TIME`,
   * `rm PATH`, `append PATH TEXT` and `fault SPEC`; `@id` is the last id that was printed.
   */
  readonly lines: readonly string[];
}

/** Every combination of the choices, in the places of `{0}`, `{1}` … */
function cross(template: string, ...choices: readonly (readonly string[])[]): string[] {
  let lines = [template];
  choices.forEach((list, place) => {
    lines = lines.flatMap((line) => list.map((choice) => line.replaceAll(`{${place}}`, choice)));
  });
  return lines;
}

const buyerBreakdowns = [
  'ADNETWORK',
  'CAMPAIGN',
  'ADUNIT',
  'ADVERTISER',
  'CREATIVE',
  'PUBLISHERID',
  'SUBPUBLISHERID',
  'FORMAT',
  'OS',
  'PLATFORM',
  'COUNTRY',
  'REGION',
  'DEPARTMENT',
  'CITY',
  'POSTALCODE',
  'DEVICETYPE',
  'DEVICEBRAND',
  'DEVICEMODEL',
  'CARRIER',
  'BUNDLEID',
];

const periods = [
  'today',
  'yesterday',
  'last-7d',
  'last-24h',
  'this-week',
  'last-week',
  'this-month',
  'last-month',
  'last-4w',
  'this-quarter',
  'last-quarter',
  'this-year',
  'last-year',
  '2026',
  '2026-Q3',
  '2026-10',
  '2026-W45',
  '2026-11-01',
  '2026-11-01..2026-11-15',
  '2026-09..2026-10',
  '2026-W40..2026-W44',
  '2026-Q1..2026-Q2',
];

const rangeEnds = [
  '--since 1793487600 --until 1793573999',
  '--since 2026-11-01',
  '--since 2026-11-01 --until 2026-11-03',
  '--since 2026-11-01T08:30 --until 2026-11-01T17:59:59',
  '--since 2026-11-01T08:30:00+02:00 --until now',
  '--since yesterday --until today',
  '--since -7d',
  '--since -36h --until yesterday',
  // The hours of the clock changes.
  '--since 2026-10-25T02:30 --until 2026-10-25T03:30',
  '--since 2026-03-29T02:30 --until 2026-03-29T03:30',
  '--since 2026-11-03 --until 2026-11-01',
];

const formats: Scene = {
  name: 'formats and breakdowns',
  lines: [
    ...cross(
      'run --period last-7d --by {1} -o out.{0}',
      ['csv', 'json', 'ndjson', 'parquet', 'xlsx', 'csv.gz', 'ndjson.gz'],
      ['DAILY', 'CAMPAIGN', 'DAILY,CAMPAIGN,COUNTRY', 'HOURLY', 'ADUNIT,OS'],
    ),
    ...cross('run --period last-7d -o out.{0}', [
      'csv',
      'json',
      'parquet',
      'xlsx',
      'html',
      'json.gz',
    ]),
    ...cross('run --period last-4w --by WEEKLY,CAMPAIGN -o out.{0}', [
      'csv',
      'json',
      'parquet',
      'xlsx',
    ]),
    ...cross('run --period 2026-10 --by MONTHLY,OS -o out.{0}', [
      'csv',
      'ndjson',
      'parquet',
      'xlsx',
    ]),
    'run --period last-week --by RANGE,CAMPAIGN -o out.csv',
    'run --period last-7d --by CAMPAIGN -o out.html',
    'run --period last-7d --by DAILY,CAMPAIGN -o out.html --title October --note Draft',
    'run --period last-7d --by DAILY -o out.csv --json',
    'run --period last-7d --by CAMPAIGN,COUNTRY -o out.parquet --json',
    'run --period yesterday --by CAMPAIGN --json',
    'run --period yesterday --by CAMPAIGN --format ndjson',
    'run --period yesterday --by CAMPAIGN --format csv',
    'run --period yesterday --by CAMPAIGN -o -',
    'run --period yesterday --by CAMPAIGN --direct -o out.csv --json',
    'run --period yesterday --by CAMPAIGN --direct --format json',
    'run --period yesterday --by CAMPAIGN --encoding form -o out.csv --json',
    'run --period yesterday --by CAMPAIGN -o deep/er/out.csv --json',
    "run --period yesterday --by CAMPAIGN -o '{profile}-{account}-{since}-{until}.csv' --json",
  ],
};

const breakdowns: Scene = {
  name: 'each breakdown',
  lines: cross('run --period yesterday --by {0} -o -', buyerBreakdowns),
};

const admin: Scene = {
  name: 'an admin',
  account: 'admin',
  lines: [
    'run --period yesterday --by ADVERTISER -o -',
    'run --period yesterday --by ADVERTISER,CAMPAIGN --filter advertiserId=501 -o -',
    "run --period yesterday --by ADVERTISER --advertiser 'Café Déjà Vu' -o -",
    "run --period yesterday --by ADVERTISER --advertiser 'Cafe*' -o - --json",
    'run --period yesterday --by ADVERTISER --advertiser Nobody -o - --json',
    'campaigns --format csv',
    'campaigns --json',
  ],
};

const dsp: Scene = {
  name: 'a DSP account',
  account: 'dsp',
  lines: [
    ...cross('run --period yesterday --by {0} -o -', ['DAILY', 'HOURLY', 'BUNDLEID', 'FORMAT']),
    ...cross('run --period last-7d --by DAILY,FORMAT -o out.{0}', [
      'csv',
      'json',
      'ndjson',
      'parquet',
      'xlsx',
    ]),
    ...cross('run --period last-7d --by DAILY,FORMAT --normalize -o out.{0}', [
      'csv',
      'json',
      'ndjson',
    ]),
    ...cross(
      'run --period {0} --timezone {1} --by DAILY --dry-run --json',
      ['yesterday', 'last-week', '2026-10'],
      ['America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'],
    ),
    'run --period 2026-10-25 --timezone America/Los_Angeles --by HOURLY -o -',
    'run --period yesterday --by CAMPAIGN --json',
    'run --period yesterday --metrics clicks --json',
    'run --period yesterday --timezone Mars/Phobos --json',
    'run --period yesterday --filter osId=1 --json',
    'run --period last-7d --by DAILY --metrics displays,ecpmEuro -o -',
    'campaigns --json',
  ],
};

const windows: Scene = {
  name: 'windows',
  lines: [
    ...cross('run --period {0} --by DAILY --dry-run --json', periods),
    ...cross('run {0} --by HOURLY --dry-run --json', rangeEnds),
    'run --period 2026-10 --by DAILY --window-clock wall --dry-run --json',
    'run --period yesterday --timezone UTC --dry-run --json',
    'run --period last-week --by WEEKLY --dry-run --json',
    'run --period last-4w --by WEEKLY,CAMPAIGN --dry-run --json',
    'run --since 2026-11-04 --until 2026-11-10 --by WEEKLY --dry-run --json',
    'run --period 2026-10 --split week --by DAILY --dry-run --json',
    'run --period last-week --split day --by DAILY --dry-run --json',
    "run --period 2026-Q3 --split month --by MONTHLY -o '{date}.csv' --dry-run --json",
    'run --period 2026-10 --by CAMPAIGN --split day --dry-run --json',
  ],
};

const filters: Scene = {
  name: 'filters',
  lines: [
    ...cross('run --period yesterday --by CAMPAIGN --filter {0} -o -', [
      'campaignId=40001',
      'campaignId=40001,40005',
      'osId=1',
      'formatId=2',
      'countryId=3017382',
      'adNetworkId=1',
      'deviceTypeId=2',
      'deviceBrandId=1',
      "'deviceModel=iPad mini'",
      'carrier=Orange',
      'adunitId=70001',
      'country=FR',
      'country=France,DE',
      'campaignId=99999',
      "'campaign=Noël*'",
    ]),
    ...cross('run --period yesterday --country {0} --dry-run --json', [
      'FR',
      'France,Germany',
      'Allemagne',
      'Deutschland',
      'España',
      'Francia',
      'Atlantis',
    ]),
    "run --period yesterday --campaign 'Collection*' --by CAMPAIGN -o -",
    "run --period yesterday --campaign 'Colection*' --json",
    "run --period yesterday --ad-unit 'Bannière*' --by ADUNIT -o -",
    'run --period yesterday --filter city=Paris --json',
    'run --period yesterday --filter osId=x --json',
    'run --period yesterday --filter osId --json',
    'run --period yesterday --filter advertiserId=501 --json',
  ],
};

const columns: Scene = {
  name: 'columns, metrics and dialects',
  lines: [
    ...cross(
      'run --period last-7d --by DAILY,CAMPAIGN --metrics displays,revenueEuro {0} -o out.csv',
      [
        '--excel',
        '--normalize',
        '--columns date,displays',
        '--columns displays,campaignName',
        '--columns all',
        '--columns nosuch --json',
      ],
    ),
    ...cross('run --period yesterday --by CAMPAIGN --metrics {0} -o -', [
      'displays',
      'clicks,displays',
      'ctr',
      'displays,ctr,ecpmEuro,ecpmDollar',
      'cpcEuro,cpcDollar,cplEuro,cpdEuro',
      'revenueDollar',
      'eyesTrackings,landings,leads',
      'impressions,installs',
      'Displays,CLICKS',
    ]),
    ...cross('run --period yesterday --metrics {0} --json', [
      'conversions',
      'revenue',
      'displayz',
      'ctr',
      'displays,displays',
      "''",
    ]),
    ...cross('run --period yesterday --by {0} --dry-run --json', [
      'day',
      'date,campaigns',
      "'device type'",
      'ad-unit',
      'device',
      'DAILY,HOURLY',
      'CAMPAING',
      'campaign,campaign',
      'WEEKLY,DAILY',
    ]),
    'run --period yesterday --by CAMPAIGN --metrics ctr -o out.json --json',
    'run --period yesterday --by CAMPAIGN --metrics displays,ctr -o out.parquet',
    'run --period yesterday --by CAMPAIGN --metrics displays,ctr -o out.xlsx',
    'run --period yesterday --by CAMPAIGN --excel -o out.xlsx --json',
    'run --period yesterday --by CAMPAIGN --title X -o out.csv --json',
  ],
};

const mistakes: Scene = {
  name: 'mistakes',
  files: { 'there.csv': 'old\n' },
  lines: [
    'rum --json',
    'run --json --nosuch',
    'run --period --json',
    'run --period octobr --json',
    'run --period 2026-13 --json',
    'run --period 2026-02-30 --json',
    'run --period yesterday --since 2026-11-01 --json',
    'run --period tomorrow --json',
    'run --since soon --json',
    'run --json',
    'run --period yesterday --profile seller --json',
    'run --period yesterday --format docx --json',
    'run --period yesterday -o report.docx --json',
    'run --period yesterday -o s3://bucket/a.csv --json',
    'run --period yesterday -o https://example.com/a.csv --json',
    'run --period yesterday -o there.csv --no-clobber --json',
    'run --period yesterday -o there.csv/x.csv --json',
    "run --period yesterday -o '{nosuch}.csv' --json",
    "run --period yesterday -o '{date}.csv' --json",
    "run --period last-7d --split day --no-clobber -o '{date}.csv' --json",
    'run --period last-7d --lookback 3 -o x.csv --json',
    "run --since 2026-11-04 --until 2026-11-10 --split week -o '{date}.csv' --json",
    "run --period last-7d --split day --shard 5/4 -o '{date}.csv' --json",
    "run --period last-7d --split hour -o '{date}.csv' --json",
    'run --period yesterday --concurrency 0 --json',
    'run --period yesterday --retries -1 --json',
    'run --period yesterday --timeout forever --json',
    'run --period yesterday --poll-interval 0 --json',
    'run --period yesterday --wait-timeout 5 --json',
    'run --period yesterday --compare nextyear --json',
    'run --period yesterday --compare -o out.json --json',
    "run --period last-7d --split day --compare -o '{date}.csv' --json",
    'run --period yesterday --account nobody --json',
    'run --period yesterday --encoding xml --json',
    'run nosuch --json',
    'run --all --json',
    'report create --period yesterday -o x.csv --json',
    'report create --period yesterday --direct --json',
    'report nosuch --json',
    'status --json',
    "status '' --json",
    'status 0123 --json',
    'download --json',
    'download 0123 --json',
    'download 0123 --wait -o x.csv --json',
    'view --json',
    'view nosuch.csv --json',
    'view there.csv --by nosuch --json',
    'view there.csv --top 0 --json',
    'view there.csv --json',
    'check --json',
    'check nosuch --json',
    'check there.csv --json',
    'update --json',
    'update nosuch --json',
    'campaigns --active yesterdayish --json',
    'campaigns --format nosuch --json',
    'fields --profile nosuch --json',
    'config --json',
    'config set nosuch 1 --json',
    'config set profile seller --json',
    'login --email a@example.com --json',
    'login --base-url ftp://example.com --token-stdin --json',
    'logout --account nobody --json',
    'completion tcsh --json',
    'local-server --fault nosuch:503 --json',
    'local-server --fault auth:failed --json',
    'local-server --polls 2 --manual --json',
    'local-server export --json',
    'help nosuchword --json',
    'doctor --nosuch --json',
  ],
};

const lists: Scene = {
  name: 'lists',
  lines: [
    'campaigns --format csv',
    'campaigns --json',
    'campaigns --ad-units --format csv',
    'campaigns --search soldes --format csv',
    'campaigns --search 40005 --format ndjson',
    'campaigns --active --format csv',
    'campaigns --active 2026-07-01 --format csv',
    'campaigns --columns campaignId,campaignName --format csv',
    'campaigns --columns nosuch --json',
    ...cross('campaigns -o campaigns.{0}', ['csv', 'json', 'ndjson', 'parquet', 'xlsx', 'csv.gz']),
    'campaigns --excel -o campaigns.csv',
    ...cross('fields {0} --json', [
      '',
      'spend',
      'impressions',
      'France',
      'publisher',
      'nosuchterm',
    ]),
    'fields --profile dsp --json',
    'whoami --json',
    'report list --json',
    'config list --json',
    'config path',
    'local-server export data --period 2026-11-01',
  ],
};

const reports: Scene = {
  name: 'the steps of a report',
  isStory: true,
  server: { polls: 2 },
  lines: [
    'report create --period last-7d --by DAILY,CAMPAIGN',
    'status @id --json',
    'report list --json',
    'status @id --wait --json',
    'download @id -o a.csv --json',
    'download @id -o a.parquet --json',
    'download @id --format ndjson',
    'download @id --columns campaignId,displays -o b.csv',
    'download @id -o b.csv --no-clobber --json',
    'report list --json --limit 1',
    'report create --period last-7d --metrics displays,ctr --by CAMPAIGN --json',
    'report create --period yesterday --by CAMPAIGN --metrics clicks,displays',
    'download @id --wait -o c.csv --json',
    'download @id --wait -o c.xlsx --json',
    'run --period last-7d --by DAILY -o d.csv --wait-timeout 0s --json',
    'run --period last-7d --by DAILY -o d.csv --json',
    'run --period last-7d --by DAILY -o d.csv --fresh --json',
    'report list --json',
    'report create --period yesterday --dry-run --json',
  ],
};

const folder: Scene = {
  name: 'a folder over time',
  isStory: true,
  server: { delayMs: 0 },
  lines: [
    'at 2026-11-20T05:00:00Z',
    "run --period last-7d --split day --by CAMPAIGN -o 'd/{date}.csv' --json",
    'check d --json',
    "run --period last-7d --split day --by CAMPAIGN -o 'd/{date}.csv' --json",
    'at 2026-11-21T05:00:00Z',
    "run --period last-7d --split day --by CAMPAIGN -o 'd/{date}.csv' --json",
    'check d --json',
    'rm d/2026-11-15.csv',
    'append d/2026-11-16.csv x',
    'check d --json',
    'update d --dry-run --json',
    'update d --json',
    'check d --json',
    "run --period last-7d --split day --by CAMPAIGN --country FR -o 'd/{date}.csv' --json",
    "run --period 2026-10-01..2026-10-05 --split day --by CAMPAIGN -o 'd/{date}.csv' --json",
    'check d --json',
    'view d --json',
    'view d --by DAILY --format csv',
    'view d --by CAMPAIGN --metrics displays,ctr --period last-7d --json',
    'view d --by DAILY --period 2026-11-14..2026-11-20 -o days.parquet',
    'view d --by CAMPAIGN --compare previous --period 2026-11-18..2026-11-20 --json',
    'view d --by CAMPAIGN --period 2025 --json',
    'at 2026-11-26T05:00:00Z',
    'check d --json',
    "run --period last-7d --split day --by CAMPAIGN -o 'd/{date}.csv' -q --json",
    'check d --json',
    'update d --json',
    'check d d --json',
  ],
};

const layouts: Scene = {
  name: 'folders of other layouts',
  isStory: true,
  server: { delayMs: 0 },
  lines: [
    'at 2026-11-20T05:00:00Z',
    "run --period last-4w --split week --by CAMPAIGN -o 'w/{since}.csv' --json",
    'check w --json',
    "run --period 2026-08..2026-10 --split month --by MONTHLY,CAMPAIGN -o 'm/{date}.parquet' --json",
    'check m --json',
    'view m --by MONTHLY --metrics displays,revenueEuro --json',
    "run --period last-7d --split day --by HOURLY -o 'hive/date={date}/part.parquet' -q",
    'check hive --json',
    'view hive --by DAILY --metrics displays --json',
    "run --period last-7d --split day --by DAILY --shard 1/2 -o 's/{date}.csv' --json",
    "run --period last-7d --split day --by DAILY --shard 2/2 -o 's/{date}.csv' --json",
    'check s --json',
    "run --period last-7d --split day --by DAILY --lookback 2 -o 'l/{date}.csv' --json",
    'at 2026-11-21T05:00:00Z',
    "run --period last-7d --split day --by DAILY --lookback 2 -o 'l/{date}.csv' --json",
    'check l --json',
    'run --period last-7d --split day --by DAILY -o merged.csv --json',
    'run --period last-4w --split week --by RANGE,CAMPAIGN -o merged.parquet --json',
    "run --period last-7d --split day --by DAILY --fresh -o 's/{date}.csv' --json",
    'check . --json',
    'update . --dry-run --json',
  ],
};

const exported = [
  'date,campaignId,campaignName,displays,clicks,revenueEuro',
  '2026-11-01,1,Alpha,1000,10,5.5',
  '2026-11-01,2,Beta,3000,9,7.25',
  '2026-11-02,1,Alpha,2000,30,11',
  '2026-11-08,2,Beta 2,500,1,0.75',
  '2026-12-01,3,Gamma,10,1,0.01',
  '',
].join('\n');

const viewed: Scene = {
  name: 'looking at files',
  files: {
    'a.csv': exported,
    'b.csv': exported.replaceAll('2026-', '2025-'),
    'semicolons.csv': exported.replaceAll(',', ';').replaceAll('.', ','),
    'a.ndjson':
      '{"date":"2026-11-01","os":"iOS","displays":5}\n{"date":"2026-11-02","os":null,"displays":7}\n',
    'a.json':
      '{"data":[{"campaignId":"7","displays":12,"revenueEuro":0.1},{"campaignId":"8","displays":3,"revenueEuro":0.2}],"summary":{}}',
    'bad.csv': 'date,displays\n2026-11-01,12 %\n',
    'cut.json': '{"data":[{"displays":1},',
    'empty.csv': 'date,displays\n',
  },
  lines: [
    ...cross('view {0} --json', ['a.csv', 'a.ndjson', 'a.json', 'semicolons.csv', 'empty.csv']),
    ...cross('view a.csv --by {0} --json', [
      'DAILY',
      'CAMPAIGN',
      'WEEKLY',
      'MONTHLY',
      'WEEKLY,CAMPAIGN',
      'campaignName',
      'COUNTRY',
    ]),
    ...cross('view a.csv --by CAMPAIGN {0} --format csv', [
      '',
      '--sort clicks',
      '--sort displays:asc',
      '--top 2',
      '--metrics displays,ctr',
      '--metrics ctr,ecpmEuro',
      '--filter campaignId=1',
      "--filter 'campaign=Be*'",
      '--period 2026-11',
      '--since 2026-11-02 --until 2026-11-08',
      '--columns campaignId,displays',
      '--excel',
    ]),
    ...cross('view a.csv --by DAILY -o out.{0}', [
      'csv',
      'json',
      'ndjson',
      'parquet',
      'xlsx',
      'html',
      'csv.gz',
    ]),
    ...cross('view a.csv -o out.{0}', ['csv', 'json', 'ndjson', 'parquet', 'xlsx']),
    'view a.csv b.csv --by DAILY --format csv',
    'view a.csv a.ndjson --by DAILY --metrics displays --format csv',
    'view a.csv --by CAMPAIGN --compare previous --period 2026-11-02 --json',
    'view a.csv b.csv --by CAMPAIGN --compare last-year --period 2026-11 --json',
    'view semicolons.csv --by CAMPAIGN --format csv',
    'view bad.csv --json',
    'view cut.json --json',
    'view a.csv --by CAMPAIGN --metrics nosuch --json',
    'view a.csv --filter nosuch=1 --json',
    'view a.csv --period 2020 --json',
    'view a.csv --by CAMPAIGN --top 2 --json',
  ],
};

const compared: Scene = {
  name: 'comparisons',
  lines: [
    ...cross('run --period {0} --compare previous --by CAMPAIGN -o out.csv --json', [
      'last-week',
      '2026-10',
      'this-month',
      'last-7d',
      'yesterday',
    ]),
    'run --period last-week --compare last-year --by CAMPAIGN -o out.csv --json',
    'run --period last-week --compare previous --by DAILY -o out.xlsx --json',
    'run --period last-week --compare --by CAMPAIGN -o out.html --json',
    'run --period last-week --compare --by CAMPAIGN --dry-run --json',
  ],
};

const savedReports = `defaults:
  period: yesterday
  metrics: [displays, clicks]
reports:
  by-campaign:
    by: CAMPAIGN
    output: 'campaigns.csv'
  countries:
    by: COUNTRY
    country: [FR, DE]
    output: 'countries.ndjson'
  archive:
    period: last-7d
    split: day
    by: DAILY
    output: 'archive/{date}.csv'
`;

const saved: Scene = {
  name: 'saved reports',
  files: {
    'adreport.yaml': savedReports,
    'typo.yaml': savedReports.replace('country:', 'contry:'),
    'broken.yaml': 'reports:\n  a: [\n',
    'empty.yaml': '',
  },
  lines: [
    'run by-campaign --json',
    'run countries --json',
    'run by-campaign countries --json',
    'run archive --json',
    'run --all --json',
    'run by-campaign --metrics displays -o other.csv --json',
    'run by-campaign --dry-run --json',
    'run nosuch --json',
    'run by-campaing --json',
    ...cross('run --all --file {0} --json', [
      'typo.yaml',
      'broken.yaml',
      'empty.yaml',
      'none.yaml',
    ]),
  ],
};

const faults: Scene = {
  name: 'a service with faults',
  isStory: true,
  server: { delayMs: 0 },
  lines: [
    ...[
      'buyer:503',
      'buyer:400',
      'buyer:401',
      'buyer:403',
      'buyer:413',
      'buyer:reset',
      'buyer:429:retry-after=2:times=1',
      'status:503',
      'status:503:times=2',
      'status:404',
      'status:garbage',
      'status:html',
      'status:failed',
      'status:expired',
      'download:404',
      'download:500',
      'download:503:times=1',
      'download:reset',
      'download:truncate:bytes=100',
      'download:truncate:bytes=100:times=1',
      'download:garbage',
      'download:html',
      'download:not-downloadable:times=1',
      'auth:503',
      '*:unauthorized',
    ].flatMap((fault) => [
      `fault ${fault}`,
      'run --period last-7d --by DAILY --fresh -o out.csv --json',
    ]),
    'fault campaigns:503',
    'campaigns --json',
    'fault campaigns:html',
    'campaigns --json',
    'fault download:404',
    "run --period last-7d --split day --by DAILY -o 'p/{date}.csv' --json",
  ],
};

const accounts: Scene = {
  name: 'settings',
  isStory: true,
  env: { ADREPORT_TOKEN: '', ADREPORT_BASE_URL: '' },
  lines: [
    'whoami --json',
    'run --period yesterday --json',
    'config set profile dsp',
    'config list --json',
    'config unset profile',
    'config set encoding form',
    'config list --json',
    'run --period yesterday --dry-run --json',
    'run --period yesterday --local -o - --by DAILY',
    'campaigns --local --columns campaignId --format csv',
    'run --period yesterday --base-url http://example.com --json',
    'logout --json',
    'init',
    'init --json',
  ],
};

const tables: Scene = {
  name: 'tables',
  lines: [
    'run --period yesterday --by CAMPAIGN --metrics displays,clicks --format table',
    'run --period last-7d --by DAILY --metrics displays --format table',
    'campaigns --columns campaignId,campaignStartDate --format table',
  ],
};

export const scenes: readonly Scene[] = [
  formats,
  breakdowns,
  admin,
  dsp,
  windows,
  filters,
  columns,
  mistakes,
  lists,
  reports,
  folder,
  layouts,
  viewed,
  compared,
  saved,
  faults,
  accounts,
  tables,
];
