import { expect, test } from 'vitest';
import { runScript } from '../support/bundle.ts';

/** Writes a page of so many rows, most of whose names are new; prints its size and the most memory ever taken. */
const script = (count: number): string => `
  import { createEncoder } from './src/output/formats/index.ts';
  import { writeRows } from './src/output/encoder.ts';
  import { readRows } from './src/rows/read-rows.ts';
  async function* body() {
    yield Buffer.from('{"data":[');
    for (let from = 0; from < ${count}; from += 500) {
      const rows = Array.from({ length: 500 }, (_, i) => from + i).map((i) =>
        \`{"date":"2026-10-\${String(1 + (i % 31)).padStart(2, '0')}","campaignName":"Campaign \${i % 37}","bundleId":"app\${i}","city":"City \${(i * 7919) % 45000}","displays":\${i},"clicks":\${i % 200},"revenueEuro":"\${i % 5000},25"}\`,
      );
      yield Buffer.from((from > 0 ? ',' : '') + rows.join());
    }
    yield Buffer.from(']}');
  }
  let bytes = 0;
  const encoder = await createEncoder('html', {});
  await writeRows({ batches: readRows(body()), encoder, sink: { write: (piece) => { bytes += piece.length; } } });
  console.log(JSON.stringify({ bytes, megabytes: process.resourceUsage().maxRSS / 1024 }));
`;

function measure(count: number): { bytes: number; megabytes: number } {
  return JSON.parse(runScript(script(count)));
}

test('a page of 1,000,000 rows takes little more memory than one of 60,000', () => {
  const [short, long] = [measure(60_000), measure(1_000_000)];
  expect(long.bytes).toBeLessThan(1_000_000);
  console.log(`60,000 rows: ${short.megabytes.toFixed()} MB, 1,000,000 rows: ${long.megabytes.toFixed()} MB`);
  expect(long.megabytes).toBeLessThan(short.megabytes + 60);
});
