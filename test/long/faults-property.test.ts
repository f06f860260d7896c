import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

const cases = 2_500;
const retries = 2;

/** One try of a download. `status` and `kept` matter only for their types. */
const fault = fc.record({
  type: fc.constantFrom('none', 'reset', 'html', 'garbage', 'status', 'cut', 'cut', 'cut'),
  status: fc.constantFrom(408, 429, 502, 503, 504),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  announced: fc.boolean(),
});
type Fault = typeof fault extends fc.Arbitrary<infer T> ? T : never;

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '\\', ',', ']}', '\n', '\u001b[2J', 'é', '🦊', '\ud83d'),
    fc.string({ maxLength: 1 }),
  ),
  maxLength: 12,
});
const row = fc.record({
  campaignName: fc.option(text),
  city: text,
  displays: fc.nat(),
  revenueEuro: text,
});

const report = fc.record({
  rows: fc.array(row, { maxLength: 60 }),
  pretty: fc.boolean(),
  byteOrderMark: fc.boolean(),
  summaryFirst: fc.boolean(),
  coding: fc.constantFrom('identity', 'gzip', 'deflate', 'br'),
  chunkBytes: fc.integer({ min: 1, max: 3_000 }),
  faults: fc.array(fault, { maxLength: retries + 1 }),
  toStdout: fc.boolean(),
});
type Report = typeof report extends fc.Arbitrary<infer T> ? T : never;

const summary = {
  since: '2026-11-01T00:00:00+0100',
  until: '2026-11-01T23:59:59+0100',
  breakdowns: [],
  timezone: 'x',
};
const compress = {
  identity: (bytes: Buffer) => bytes,
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};

function documentOf({ rows, pretty, byteOrderMark, summaryFirst }: Report): string {
  const document = summaryFirst
    ? { summary, extra: { data: [1] }, data: rows }
    : { data: rows, summary };
  return (byteOrderMark ? '\ufeff' : '') + JSON.stringify(document, null, pretty ? 2 : undefined);
}

async function sendReport(response: ServerResponse, given: Report, fault?: Fault): Promise<void> {
  if (fault?.type === 'reset') return void response.destroy();
  if (fault?.type === 'status')
    return json(response, { response: { error: 'later' } }, fault.status);
  if (fault?.type === 'html')
    return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>');
  const bytes = compress[given.coding](Buffer.from(documentOf(given)));
  const headers = { 'content-type': 'application/json', 'content-encoding': given.coding };
  const isCut = fault?.type === 'cut';
  const sizeBytes = isCut ? Math.floor(fault.share * bytes.length) : bytes.length;
  const sent =
    fault?.type === 'garbage'
      ? Buffer.from('{"data":[{"displays":\u0000}]}')
      : bytes.subarray(0, sizeBytes);
  if (fault?.type === 'garbage') headers['content-encoding'] = 'identity';
  response.writeHead(
    200,
    isCut && fault.announced ? { ...headers, 'content-length': bytes.length + 1 } : headers,
  );
  response.flushHeaders();
  // At most eight steps per try, so that thousands of cases are fast.
  const stepBytes = Math.max(given.chunkBytes, Math.ceil(sent.length / 8));
  for (let at = 0; at < sent.length; at += stepBytes) {
    response.write(sent.subarray(at, at + stepBytes));
    await turn();
  }
  if (isCut) response.destroy();
  else response.end();
}

test(`${cases} reports of random rows, chunks and faults: the identical file, or a documented exit code`, async () => {
  let given: Report | undefined;
  let tries = 0;
  const service = await serve(async ({ path }, response) => {
    if (path === '/buyer-reporting') return json(response, { id: 'r1' });
    if (path === '/status-reporting') return json(response, { response: { status: 'ready' } });
    const fault = given?.faults[tries];
    tries += 1;
    if (given) await sendReport(response, given, fault);
  });
  const env = { ...service.env, ADREPORT_CONFIG_DIR: temporaryFolder() };

  const seen = new Map<number, number>();

  await fc.assert(
    fc.asyncProperty(report, async (one) => {
      given = one;
      tries = 0;
      const line = `run --fresh --period 2026-11-01 --format ndjson --retries ${retries} -q`;
      const options = { cwd: temporaryFolder(), env };
      const { exitCode, stdout, files, stderr } = await runCli(
        one.toStdout ? line : `${line} -o r.ndjson`,
        options,
      );
      seen.set(exitCode, (seen.get(exitCode) ?? 0) + 1);
      const whole = one.rows.map((row) => `${JSON.stringify(row)}\n`).join('');

      // A complete body that is not a report is not downloaded again.
      const types = [...one.faults.map(({ type }) => type), 'none'];
      const firstGood = types.findIndex((type) => type === 'none' || type === 'garbage');
      const comes = types[firstGood] === 'none' && firstGood <= retries;
      expect(exitCode === 0).toBe(comes);
      if (exitCode === 0) {
        expect(one.toStdout ? stdout : files['r.ndjson']).toBe(whole);
        expect(tries).toBe(firstGood + 1);
      } else {
        expect([5, 9]).toContain(exitCode);
        expect(stderr).toMatch(/^adreport: /);
        expect(files).toEqual({});
        expect(whole.startsWith(stdout)).toBe(true);
      }
    }),
    { numRuns: cases },
  );

  console.log(
    `Exit codes of ${cases} cases: ${[...seen].map(([code, count]) => `${code}: ${count}`).join(', ')}`,
  );

  expect([...seen.keys()].sort()).toEqual([0, 5, 9]);
});
