import { checkouts, cpuSecondsOf, median, peakOf, startServer } from './figures/measure.ts';

/**
 * What the local server costs: a small call (a status) on one connection, by the clock and by the
 * server's processor time; and a report of a year by hour and ad unit, with the server's peak
 * memory. With `BASELINE` another checkout's too.
 */

const calls = 3_000;
const year = {
  since: 1767222000,
  until: 1798757999,
  metrics: 'displays,clicks',
  breakdowns: ['HOURLY', 'ADUNIT'],
};

function cpuMs(pid: number): number {
  return 1_000 * (cpuSecondsOf(pid) ?? Number.NaN);
}

for (const checkout of checkouts()) {
  const { url, pid, token, stop } = await startServer(checkout);
  const headers = {
    authorization: token,
    accept: 'application/json',
    'content-type': 'application/json',
  };
  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const create = async (body: object): Promise<{ id: string }> => {
    const { response } = (await (await post('/buyer-reporting', body)).json()) as {
      response: { report_id: string };
    };
    return { id: response.report_id };
  };

  const small = await create({ ...year, until: year.since + 86_399 });
  const timesMs: number[] = [];
  let before = 0;
  for (let call = -500; call < calls; call += 1) {
    if (call === 0) before = cpuMs(pid);
    const startedMs = performance.now();
    await (await post('/status-reporting', small)).text();
    if (call >= 0) timesMs.push(performance.now() - startedMs);
  }
  const cpu = (cpuMs(pid) - before) / calls;
  console.log(
    `${checkout.name}: a small call ${median(timesMs).toFixed(2)} ms, processor ${cpu.toFixed(2)} ms`,
  );

  const large = await create(year);
  const startedMs = performance.now();
  let bytes = 0;
  for await (const piece of (await post('/download-reporting', large)).body ?? [])
    bytes += piece.length;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(2);
  const size = `${seconds} s for ${(bytes / 1e6).toFixed(0)} MB, peak ${peakOf(pid)?.toFixed(0) ?? '?'} MB`;
  console.log(`${checkout.name}: a year by hour and ad unit ${size}`);
  stop();
}
