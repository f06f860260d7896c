import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { checkouts, median, peakOf, startServer } from './figures/measure.ts';

/**
 * What the local server costs: a small call (a status) on one connection, by the clock and by the server's processor
 * time; and a report of a year by hour and ad unit, with the server's peak memory. With `BASELINE` another checkout's too.
 */

const calls = 3_000;
const year = { since: 1767222000, until: 1798757999, metrics: 'displays,clicks', breakdowns: ['HOURLY', 'ADUNIT'] };

/** Processor time of a process so far, in milliseconds; Linux alone tells. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

for (const checkout of checkouts()) {
  const server = await startServer(checkout);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** The answer's text, or only its size where that is wanted of a large one. */
  const post = (path: string, body: object, keeps = true): Promise<{ text: string; bytes: number }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: server.token, accept: 'application/json', 'content-type': 'application/json' };
      const outgoing = request(`${server.url}${path}`, { method: 'POST', headers, agent }, (incoming) => {
        let [text, bytes] = ['', 0];
        incoming.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (keeps) text += piece;
        });
        incoming.on('end', () => resolve({ text, bytes }));
      });
      outgoing.on('error', reject).end(JSON.stringify(body));
    });
  const create = async (body: object): Promise<{ id: string }> => {
    const { text } = await post('/buyer-reporting', body);
    return { id: JSON.parse(text).response.report_id };
  };

  const small = await create({ ...year, until: year.since + 86_399 });
  const timesMs: number[] = [];
  let before = 0;
  for (let call = -500; call < calls; call += 1) {
    if (call === 0) before = cpuMs(server.pid);
    const startedMs = performance.now();
    await post('/status-reporting', small);
    if (call >= 0) timesMs.push(performance.now() - startedMs);
  }
  const cpu = (cpuMs(server.pid) - before) / calls;
  console.log(`${checkout.name}: a small call ${median(timesMs).toFixed(2)} ms, processor ${cpu.toFixed(2)} ms`);

  const large = await create(year);
  const startedMs = performance.now();
  const { bytes } = await post('/download-reporting', large, false);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(2);
  const peak = `${peakOf(server.pid)?.toFixed(0) ?? '?'} MB`;
  console.log(
    `${checkout.name}: a year by hour and ad unit ${seconds} s for ${(bytes / 1e6).toFixed(0)} MB, peak ${peak}`,
  );
  agent.destroy();
  server.stop();
}
