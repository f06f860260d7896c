import type { ReportRequest } from '../../src/contract/messages.ts';
import { metrics } from '../../src/contract/vocabulary.ts';
import { encodeJson } from '../../src/server/encode.ts';
import { computeReport } from '../../src/server/engine.ts';
import { builtInFixtures } from '../../src/server/world/built-in.ts';

/** A year by hour and ad unit, computed and written as JSON: how long it takes, and how much memory at its peak. */

const fixtures = builtInFixtures({ seed: 1, scale: 1 });
const [account] = fixtures.accounts;
if (!account) throw new Error('There is no account.');
const request: ReportRequest = {
  since: 1_767_222_000,
  until: 1_798_757_999,
  metrics: metrics.map(({ name }) => name),
  breakdowns: ['HOURLY', 'ADUNIT'],
  filters: {},
};
const startMs = performance.now();
let bytes = 0;
for await (const piece of encodeJson(computeReport(fixtures, account, request, { nowMs: 0, restateDays: 0 }))) {
  bytes += piece.length;
}
const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(`a year by hour and ad unit: ${seconds} s, ${Math.round(bytes / 1e6)} MB of JSON, peak ${peakMb} MB`);
