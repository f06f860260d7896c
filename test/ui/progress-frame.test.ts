import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { drawTransfer, drawWait, type TransferFrame, type WaitFrame } from '../../src/ui/progress-frame.ts';
import { plainStyle, styleFrom } from '../../src/ui/style.ts';

const canvas = (columns: number, showsUnicode = true) => ({ columns, style: plainStyle, showsUnicode });
const widths = [20, 40, 60, 80, 120];

const waitFrame: WaitFrame = {
  label: 'Report 7f3a9c21',
  status: 'progress',
  waitedMs: 12_300,
  polls: 4,
  nextPollMs: 2_500,
};
const transferFrame: TransferFrame = {
  label: 'Downloading',
  elapsedMs: 5_150,
  bytes: 41_234_567,
  totalBytes: 66_600_000,
  rows: 137_448,
  bytesPerSecond: 8_300_000,
};

test('a wait, at several widths', () => {
  const frames = widths.map((columns) => `${drawWait(waitFrame, canvas(columns))}|`);
  expect(`\n${frames.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    ⠸ Report…  12 s|
    ⠸ Report 7f3a9c21  progress · 12 s|
    ⠸ Report 7f3a9c21  ────────────━━━━━──  progress · 12 s|
    ⠸ Report 7f3a9c21  ────━━━─────  progress · 12 s · 4 polls · next in 3 s|
    ⠸ Report 7f3a9c21  ────────━━━━━━━━──────────────  progress · 12 s · 4 polls · next in 3 s|
    "
  `);
});

test('a download of known size', () => {
  const frames = widths.map((columns) => `${drawTransfer(transferFrame, canvas(columns))}|`);
  expect(`\n${frames.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    ⠙ Downloadi…   61 %|
    ⠙ Downloading  ━━━━━━━━━━───────   61 %|
    ⠙ Downloading  ━━━━━━━━━━━━━─────────   61 % · 4 s left|
    ⠙ Downloading  ━━━━━━━─────   61 % · 41.2 of 66.6 MB · 8.3 MB/s · 4 s left|
    ⠙ Downloading  ━━━━━━━━━━━━━━━━━━────────────   61 % · 41.2 of 66.6 MB · 8.3 MB/s · 137,448 rows · 4 s left|
    "
  `);
});

test('a download of unknown size', () => {
  const frames = widths.map(
    (columns) => `${drawTransfer({ ...transferFrame, totalBytes: undefined }, canvas(columns))}|`,
  );
  expect(`\n${frames.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    ⠙ Downloa…  41.2 MB|
    ⠙ Downloading  41.2 MB · 5.2 s|
    ⠙ Downloading  ─────━━━────  41.2 MB · 8.3 MB/s · 5.2 s|
    ⠙ Downloading  ─━━━━────────────  41.2 MB · 8.3 MB/s · 137,448 rows · 5.2 s|
    ⠙ Downloading  ───────────━━━━━━━━───────────  41.2 MB · 8.3 MB/s · 137,448 rows · 5.2 s|
    "
  `);
});

test('without line drawing', () => {
  expect(drawWait(waitFrame, canvas(80, false))).toMatchInlineSnapshot(
    `"/ Report 7f3a9c21  ----===-----  progress - 12 s - 4 polls - next in 3 s"`,
  );
  expect(drawTransfer(transferFrame, canvas(80, false))).toMatchInlineSnapshot(
    `"/ Downloading  =======-----   61 % - 41.2 of 66.6 MB - 8.3 MB/s - 4 s left"`,
  );
});

test('before the first answer, and while the service is being asked', () => {
  expect(drawWait({ ...waitFrame, status: '', polls: 0, waitedMs: 340, nextPollMs: 0 }, canvas(80))).toContain('0.3 s');
  expect(drawWait({ ...waitFrame, nextPollMs: -40 }, canvas(80))).toContain('asking');
});

const label = fc.string({ unit: 'grapheme', maxLength: 60 });
const amount = fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e15, noNaN: true }));
const columns = fc.integer({ min: 4, max: 200 });
const anyWait = fc.record({
  label,
  status: fc.string({ unit: 'grapheme', maxLength: 30 }),
  waitedMs: amount,
  polls: fc.nat(),
  nextPollMs: fc.integer({ min: -1_000, max: 100_000 }),
});
const anyTransfer = fc.record({
  label,
  elapsedMs: amount,
  bytes: amount,
  totalBytes: fc.option(amount, { nil: undefined }),
  rows: fc.option(fc.nat(), { nil: undefined }),
  bytesPerSecond: fc.option(amount, { nil: undefined }),
});

test('a frame is one line that never reaches the last column', () => {
  fc.assert(
    fc.property(anyWait, anyTransfer, columns, fc.boolean(), (wait, transfer, width, showsUnicode) => {
      for (const frame of [
        drawWait(wait, canvas(width, showsUnicode)),
        drawTransfer(transfer, canvas(width, showsUnicode)),
      ]) {
        expect(stringWidth(frame)).toBeLessThan(width);
        expect(frame).not.toContain('\n');
      }
    }),
    { numRuns: 500 },
  );
});

test('from 60 columns on nothing moves while the numbers of an ordinary wait grow', () => {
  const trackOf = (frame: string): string => `${frame.search(/[━─]/)} ${frame.match(/[━─]+/)?.[0].length}`;
  for (const width of [60, 80, 120]) {
    const tracks = new Set<string>();
    for (let polls = 0; polls < 100; polls += 1) {
      const frame = { ...waitFrame, polls, waitedMs: polls * 550, nextPollMs: (polls % 30) * 1_000 };
      tracks.add(trackOf(drawWait(frame, canvas(width))));
    }
    expect(tracks.size).toBe(1);
  }
});

test('a share is never shown as more than there is, nor as done before it is', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1e9 }), fc.integer({ min: 1, max: 1e9 }), (bytes, totalBytes) => {
      const frame = drawTransfer({ ...transferFrame, bytes, totalBytes }, canvas(100));
      const percent = Number(/(\d+) %/.exec(frame)?.[1]);
      expect(percent === 100).toBe(bytes >= totalBytes);
      expect(percent).toBeLessThanOrEqual(100);
      expect(frame.includes('─')).toBe(bytes < totalBytes);
    }),
  );
});

test('the segment of a wait visits both ends', () => {
  const tracks = Array.from(
    { length: 200 },
    (_, i) => /[━─]+/.exec(drawWait({ ...waitFrame, waitedMs: i * 50 }, canvas(80)))?.[0],
  );
  expect(tracks.some((track) => track?.startsWith('━'))).toBe(true);
  expect(tracks.some((track) => track?.endsWith('━'))).toBe(true);
});

test('colour changes no width', () => {
  const colored = styleFrom(() => (text) => `\u001b[1m${text}\u001b[22m`);
  for (const width of widths) {
    expect(stringWidth(drawWait(waitFrame, { ...canvas(width), style: colored }))).toBe(
      stringWidth(drawWait(waitFrame, canvas(width))),
    );
  }
});
