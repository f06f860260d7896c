import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkouts, measure, median, ratio, startServer } from './figures/measure.ts';

/**
 * How long a command takes: what needs no network as a ratio to `node -e 0`, and what makes one call as a ratio to a
 * script of three lines that makes the same call with Node's own `fetch`. The subjects take turns.
 */

const runs = Number(process.env.BENCH_RUNS ?? 21);
const [own, ...others] = checkouts();
if (!own) throw new Error('There is nothing to measure.');
const folder = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
const server = await startServer(own);
const env = {
  ADREPORT_CONFIG_DIR: folder,
  ADREPORT_BASE_URL: server.url,
  ADREPORT_TOKEN: server.token,
};

const headers = { authorization: server.token, 'content-type': 'application/json' };
const body = JSON.stringify({ since: 1793487600, until: 1793573999, metrics: 'displays' });
const created = await fetch(`${server.url}/buyer-reporting`, { method: 'POST', headers, body });
const { response } = (await created.json()) as { response: { report_id: string } };
const script = `
  const headers = ${JSON.stringify(headers)}, body = JSON.stringify({ id: '${response.report_id}' });
  const answer = await fetch('${server.url}/status-reporting', { method: 'POST', headers, body });
  console.log((await answer.json()).response.status);`;

const commands = [
  { words: ['--help'], peer: 0 },
  { words: ['run', '--help'], peer: 0 },
  { words: ['run', '--period', 'yesterday', '--dry-run'], peer: 0 },
  { words: ['complete', 'adreport run --by c'], peer: 0 },
  { words: ['status', response.report_id], peer: 1 },
].flatMap(({ words, peer }) =>
  [own, ...others].map(({ name, bin }) => {
    return { name: `${name}: ${words.slice(0, 2).join(' ')}`, argv: [bin, ...words], peer };
  }),
);
const subjects = [
  { name: 'node -e 0', argv: ['-e', '0'], peer: 0 },
  { name: 'three lines with fetch', argv: ['--input-type=module', '-e', script], peer: 1 },
  ...commands,
].map((subject) => ({ ...subject, timesMs: [] as number[] }));

for (let run = 0; run < runs; run += 1) {
  for (const { argv, timesMs } of subjects)
    timesMs.push((await measure(argv, env)).seconds * 1_000);
}
server.stop();
rmSync(folder, { recursive: true, force: true });

console.log(`Node ${process.version}, medians of ${runs} runs in turns.\n`);
for (const { name, timesMs, peer } of subjects) {
  const compared = `${ratio(median(timesMs), median(subjects[peer]?.timesMs ?? []))} ${subjects[peer]?.name}`;
  console.log(`${name.padEnd(54)} ${median(timesMs).toFixed(0).padStart(5)} ms  ${compared}`);
}
