import { describe, expect, test } from 'vitest';
import type { Console } from '../../src/ui/console.ts';
import { createBars } from '../../src/ui/progress-bars.ts';
import { createJsonProgress, createPlainProgress } from '../../src/ui/progress-log.ts';
import type { Canvas } from '../../src/ui/progress-track.ts';
import { plainStyle } from '../../src/ui/style.ts';

const canvas: Canvas = { columns: 80, style: plainStyle, showsUnicode: true };

/** A stack of bars that is drawn when a test asks for it. */
function drawnStack() {
  const bars = new Set<(canvas: Canvas) => string>();
  const add = (draw: (canvas: Canvas) => string) => {
    bars.add(draw);
    return () => void bars.delete(draw);
  };
  return { stack: { add }, lines: () => [...bars].map((draw) => draw(canvas).trimEnd()) };
}

describe('bars', () => {
  test('up to ten parts have a bar each, under their own names', () => {
    const { stack, lines } = drawnStack();
    const parts = createBars(stack, () => 0).parts(10);
    const begun = ['2026-11-01', '2026-11-02'].map((label) => {
      const part = parts.begin(label);
      return { part, meter: part.progress.wait('Report 5f0c') };
    });
    expect(lines().map((line) => /\d{4}-\d\d-\d\d|Report/.exec(line)?.[0])).toEqual(['2026-11-01', '2026-11-02']);
    for (const { part, meter } of begun) {
      meter.stop();
      part.end(true);
    }
    parts.stop();
    expect(lines()).toEqual([]);
  });

  test('more have one together, which is gone in the end', () => {
    const { stack, lines } = drawnStack();
    const parts = createBars(stack, () => 0).parts(30);
    const [first, second] = [parts.begin('a'), parts.begin('b')];
    first?.progress.wait('Report 5f0c');
    first?.end(true);
    second?.end(false);
    parts.begin('c');
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toMatch(/Parts .*1 of 30 · 1 running · 1 failed/);
    parts.stop();
    expect(lines()).toEqual([]);
  });
});

function consoleOf(said: unknown[]): Console {
  const keep = (value: unknown): void => void said.push(value);
  return { note: keep, event: keep } as unknown as Console;
}

test('elsewhere one total line, at most one every ten seconds', () => {
  const said: unknown[] = [];
  let nowMs = 0;
  const parts = createPlainProgress(consoleOf(said), () => nowMs).parts(3);
  for (const label of ['a', 'b', 'c']) {
    const part = parts.begin(label);
    part.progress.wait('Report 5f0c').update({ status: 'progress', waitedMs: 1, polls: 1, nextPollMs: 1 });
    part.end(label !== 'b');
    nowMs += 6_000;
  }
  expect(said).toEqual(['Parts: 0 of 3 done, 1 running', 'Parts: 1 of 3 done, 1 running, 1 failed']);
});

test('as JSON every change is an event, and a part’s own events have its name', () => {
  const said: unknown[] = [];
  const part = createJsonProgress(consoleOf(said), () => 0)
    .parts(1)
    .begin('2026-11-01');
  part.progress.wait('Report 5f0c').update({ status: 'ready', waitedMs: 1, polls: 1, nextPollMs: 0 });
  part.end(true);
  expect(said).toMatchObject([
    { event: 'parts', total: 1, done: 0, running: 1 },
    { event: 'status', label: '2026-11-01', status: 'ready' },
    { event: 'parts', total: 1, done: 1, failed: 0, running: 0 },
  ]);
});
