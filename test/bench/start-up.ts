import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checkouts,
  type Measured,
  mean,
  measure,
  median,
  ratio,
  startServer,
} from './figures/measure.ts';
import { printHeadings, printRow } from './figures/table.ts';

/**
 * How long a command takes: what needs no network as a ratio to `node -e 0`, and what makes one
 * call as a ratio to a script of three lines that makes the same call with Node's own `fetch`. The
 * subjects take turns.
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
  { words: ['--help'], peer: 0, goal: '≤ 4 ×' },
  { words: ['run', '--help'], peer: 0 },
  { words: ['run', '--period', 'yesterday', '--dry-run'], peer: 0 },
  { words: ['complete', 'adreport run --by c'], peer: 0 },
  { words: ['status', response.report_id], peer: 1 },
].flatMap(({ words, peer, goal }) =>
  [own, ...others].map(({ name, bin }) => {
    return { name: `${name}: ${words.slice(0, 2).join(' ')}`, argv: [bin, ...words], peer, goal };
  }),
);
const subjects = [
  { name: 'node -e 0', argv: ['-e', '0'], peer: 0 },
  { name: 'three lines with fetch', argv: ['--input-type=module', '-e', script], peer: 1 },
  ...commands,
].map((subject) => ({ goal: undefined, ...subject, measured: [] as Measured[] }));

for (let run = 0; run < runs; run += 1) {
  for (const { argv, measured } of subjects) measured.push(await measure(argv, env));
}
server.stop();
rmSync(folder, { recursive: true, force: true });

/** Milliseconds: by the clock the median, of the processors the mean. */
function timesOf(measured: readonly Measured[]) {
  return {
    clock: 1000 * median(measured.map(({ seconds }) => seconds)),
    processor: 1000 * mean(measured.map(({ cpuSeconds }) => cpuSeconds)),
  };
}

console.log(`Node ${process.version}, medians of ${runs} runs in turns.\n`);
printHeadings();
for (const { name, measured, peer, goal } of subjects) {
  const own = timesOf(measured);
  const other = timesOf(subjects[peer]?.measured ?? []);
  const processor = `${own.processor.toFixed(0)} ms`;
  printRow({ name, clock: `${own.clock.toFixed(0)} ms`, processor });
  if (subjects[peer]?.measured === measured) continue;

  printRow({
    name: `  ÷ ${subjects[peer]?.name}`,
    clock: ratio(own.clock, other.clock),
    processor: ratio(own.processor, other.processor),
    goal,
  });
}
