import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkouts, measure, median, ratio } from './figures/measure.ts';

/**
 * A report of about 670 bytes a row, from a body over HTTP to a file in each format, and `view` of a file: time and peak
 * memory, against the same of another checkout where `BASELINE` names one. They take turns. Needs 3 GB of disk.
 *
 *   BASELINE=../before BENCH_ROWS=100000 BENCH_RUNS=5 npm run bench body-to-file
 */

const runs = Number(process.env.BENCH_RUNS ?? 5);
const forced = process.env.BENCH_ROWS;

/** What is measured, and for how many rows. */
interface Subject {
  readonly name: string;
  readonly rows: number;

  /** Of `download`; without them a file is viewed. */
  readonly flags?: string;
}

const subjects: readonly Subject[] = [
  { name: 'plain CSV', rows: 1_000_000, flags: '--format csv --columns all' },
  { name: 'JSON', rows: 1_000_000, flags: '--format json' },
  { name: 'NDJSON', rows: 1_000_000, flags: '--format ndjson' },
  { name: 'CSV for Excel', rows: 100_000, flags: '--format csv --excel' },
  { name: 'Parquet', rows: 100_000, flags: '--format parquet' },
  { name: 'xlsx', rows: 100_000, flags: '--format xlsx' },
  { name: 'html', rows: 50_000, flags: '--format html' },
  { name: 'view', rows: 1_500_000 },
];

const summary =
  '{"since":"2026-01-01T00:00:00+0100","until":"2026-12-31T23:59:59+0100","breakdowns":["DAILY"],"timezone":"europe/paris"}';

/** A report of so many rows of about 670 bytes, as the service sends it, a thousand at a time; the same bytes every time. */
function* pieces(rowCount: number): Generator<string> {
  for (let row = 0; row < rowCount; row += 1000) {
    const length = Math.min(1000, rowCount - row);
    const texts = Array.from({ length }, (_, i) => JSON.stringify(rowOf(row + i, rowCount)));
    yield (row === 0 ? '{"data":[' : ',') + texts.join(',');
  }
  yield `],"summary":${summary}}`;
}

const names = [
  'Summer Sale',
  'Black Friday',
  'Été à Paris',
  'Retargeting, basket',
  'App install "hero"',
  'Launch',
];

const fixed = {
  Adnetwork: 'Core network',
  adUnitLimitType: '1',
  billingEntity: 'Example SAS',
  subpublisherId: null,
  platform: 'mobile',
  country: 'France',
  adminLevel1: null,
  adminLevel2: null,
  city: null,
  postalcode: null,
  deviceType: 'phone',
  deviceBrand: 'Samsung',
  deviceModel: null,
  carrier: 'Orange',
  eyesTrackings: 0,
};

function rowOf(row: number, rowCount: number): object {
  // A number that looks random and is not: Knuth's multiplicative hash.
  const noise = (salt: number): number => (Math.imul(row + salt, 2_654_435_761) >>> 0) / 2 ** 32;
  const campaign = 1000 + Math.floor(noise(1) * 40);
  return {
    date: new Date(Date.UTC(2026, 0, 1 + Math.floor((365 * row) / rowCount)))
      .toISOString()
      .slice(0, 10),
    ...fixed,
    campaignId: String(campaign),
    campaignName: `${names[campaign % names.length]} ${campaign}`,
    adId: String(campaign * 7),
    adName: `Interstitial ${campaign} v${row % 9}`,
    adUnitLimitValue: String(row % 1000),
    advertiser: `Advertiser ${campaign % 7}`,
    creativeId: String(campaign * 13),
    os: row % 3 === 0 ? 'iOS' : 'Android',
    bundleId: `com.example.app${campaign}`,
    displays: Math.floor(noise(2) * 1e5),
    clicks: Math.floor(noise(3) * 1e4),
    downloads: Math.floor(noise(4) * 1e3),
    leads: row % 17,
    landings: row % 5,
    revenueEuro: Math.floor(noise(5) * 1e6) / 100,
    valueDollar: Math.floor(noise(6) * 1e6) / 100,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
const document = join(folder, 'report.json');
const output = join(folder, 'output');
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': statSync(document).size,
  });
  createReadStream(document, { highWaterMark: 256 * 1024 }).pipe(response);
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const env = {
  ADREPORT_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ADREPORT_TOKEN: 'x'.repeat(40),
  ADREPORT_CONFIG_DIR: folder,
};

console.log(`Node ${process.version}, ${cpus().length} cores; medians of ${runs} runs.\n`);
try {
  let written = 0;
  for (const { name, rows, flags } of subjects) {
    const rowCount = Number(forced ?? rows);
    if (written !== rowCount)
      await pipeline(Readable.from(pieces(rowCount)), createWriteStream(document));
    written = rowCount;
    const argv = (
      flags ? `download bench -o ${output} -q ${flags}` : `view ${document} --json`
    ).split(' ');
    const results = checkouts().map((checkout) => ({
      checkout,
      seconds: [] as number[],
      peaksMb: [] as number[],
    }));
    for (let run = 0; run < runs; run += 1) {
      for (const { checkout, seconds, peaksMb } of results) {
        rmSync(output, { force: true });
        // Version 0.2.0 writes every column always, and does not know the word.
        const own =
          checkout.name === 'before'
            ? argv.filter((word) => !['--columns', 'all'].includes(word))
            : argv;
        const measured = await measure([checkout.bin, ...own], env);
        seconds.push(measured.seconds);
        peaksMb.push(measured.peakMb);
        if (flags && statSync(output).size < 10 * rowCount)
          throw new Error(`${name}: the file is too small.`);
      }
    }
    const figures = results.map(
      ({ seconds, peaksMb }) => [median(seconds), median(peaksMb)] as const,
    );
    const texts = figures.map(([seconds, peakMb]) =>
      `${seconds.toFixed(2)} s ${peakMb.toFixed(0)} MB`.padStart(18),
    );
    const [now, before] = figures;
    const size = `${(statSync(document).size / 1e6).toFixed(0)} MB`;
    console.log(
      `${name.padEnd(14)} ${size.padStart(8)} ${texts.join(' ')}  ${ratio(now?.[0] ?? 0, before?.[0])}`,
    );
  }
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
