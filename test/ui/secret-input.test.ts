import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSecret } from '../../src/ui/prompt.ts';
import { openConsole } from '../support/console.ts';
import { input } from '../support/streams.ts';

async function read(stdin: NodeJS.ReadStream) {
  const { console, stderr } = await openConsole({ stdin });
  return {
    secret: await readSecret(stdin, console, '--password-stdin', new AbortController().signal),
    console,
    stderr,
  };
}

test.each([
  ['s3cret', 's3cret'],
  ['s3cret\n', 's3cret'],
  ['s3cret\r\n', 's3cret'],
  ['s3cret\nsecond line\n', 's3cret'],
  [' blanks belong to it \n', ' blanks belong to it '],
  ['\ufeffs3cret\r\n', 's3cret'],
  ['pässwörd 雪', 'pässwörd 雪'],
])('%j', async (text, expected) => {
  expect((await read(input(text))).secret).toBe(expected);
});

test('however the bytes arrive, and without waiting for the end of the input', async () => {
  const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 });
  const cuts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      line.filter((text) => text.trim() !== '' && !/^\ufeff|[\r\n]/.test(text)),
      cuts,
      async (text, sizes) => {
        const bytes = Buffer.from(`${text}\nmore`);
        const stdin = new PassThrough();
        for (let start = 0, i = 0; start < bytes.length; i += 1) {
          const end = start + (sizes[i % sizes.length] ?? 1);
          stdin.write(bytes.subarray(start, end));
          start = end;
        }
        expect((await read(stdin as unknown as NodeJS.ReadStream)).secret).toBe(Buffer.from(text).toString());
      },
    ),
  );
});

describe('refused', () => {
  test.each([
    ['nothing', input('')],
    ['an empty line', input('\n')],
    ['blanks', input('  \nsecond line\n')],
    ['a terminal', input('s3cret\n', { isTTY: true })],
    ['bytes that are no text', input(Buffer.from([0xff, 0xfe, 0x41]))],
    ['a line of 5 kB', input('x'.repeat(5_000))],
  ])('%s', async (_name, stdin) => {
    const message = expect.stringContaining('--password-stdin');
    await expect(read(stdin)).rejects.toMatchObject({ name: 'UsageError', message });
  });
});

test('a secret that was read is hidden from then on', async () => {
  const { console, stderr } = await read(input('s3cret\n'));
  console.error('It was s3cret.');
  expect(stderr.text()).toBe('It was [hidden].\n');
});
