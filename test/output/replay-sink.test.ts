import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IncompleteDataError } from '../../src/errors.ts';
import { ReplaySink } from '../../src/output/file/replay-sink.ts';

/** A replay sink that writes to memory. */
function replaying() {
  const pieces: Buffer[] = [];
  const write = (bytes: Uint8Array): void => void pieces.push(Buffer.from(bytes));
  return { sink: new ReplaySink({ write }), written: () => Buffer.concat(pieces).toString() };
}

async function send(sink: ReplaySink, text: string, pieceBytes: number): Promise<void> {
  for (let at = 0; at < text.length; at += pieceBytes)
    await sink.write(Buffer.from(text.slice(at, at + pieceBytes)));
}

const pieceBytes = fc.integer({ min: 1, max: 9 });

test('a download interrupted any number of times is written once', async () => {
  const text = 'date,displays\r\n2026-11-01,3\r\n';

  const breaks = fc.array(fc.tuple(fc.nat({ max: text.length }), pieceBytes), { maxLength: 4 });

  await fc.assert(
    fc.asyncProperty(breaks, pieceBytes, async (broken, last) => {
      const { sink, written } = replaying();
      for (const [length, size] of broken) {
        await send(sink, text.slice(0, length), size);
        sink.restart();
      }
      await send(sink, text, last);
      sink.finish();
      expect(written()).toBe(text);
    }),
  );
});

test.each([
  { name: 'other bytes', second: 'date,clicks\r\n' },
  { name: 'fewer bytes', second: 'date' },
  { name: 'none', second: '' },
])('$name in the second attempt are an error', async ({ second }) => {
  const { sink, written } = replaying();
  await send(sink, 'date,displays', 4);
  sink.restart();

  await expect(send(sink, second, 4).then(() => sink.finish())).rejects.toBeInstanceOf(
    IncompleteDataError,
  );
  expect(written()).toBe('date,displays');
});
