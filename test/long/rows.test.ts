import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectFormatsAsReference } from '../output/formats-reference.ts';
import { readReport } from '../rows/read-rows.ts';
import { documentParts, textOf } from '../rows/report-documents.ts';
import { expectSameAsReference } from '../rows/rows-reference.ts';

it('reads 5,000 documents as JSON.parse does, cut at every chunk size from 1 to 64 bytes', async () => {
  await fc.assert(
    fc.asyncProperty(documentParts, async (parts) => {
      for (let sizeBytes = 1; sizeBytes <= 64; sizeBytes++) {
        await expectSameAsReference(parts, sizeBytes, sizeBytes);
      }
    }),
    { numRuns: 5_000 },
  );
});

it('writes 5,000 documents in every format as the plain way does', async () => {
  await fc.assert(
    fc.asyncProperty(
      documentParts,
      fc.integer({ min: 1, max: 64 }),
      fc.integer({ min: 1, max: 300 }),
      expectFormatsAsReference,
    ),
    { numRuns: 5_000 },
  );
});

it('refuses every proper beginning of 200 documents', async () => {
  await fc.assert(
    fc.asyncProperty(documentParts, async (parts) => {
      const whole = Buffer.from(textOf(parts).trimEnd());
      for (let length = 0; length < whole.length; length++) {
        const read = readReport(whole.subarray(0, length), { contentType: 'application/json', pieceBytes: 64 });
        // Not `rejects`: vitest keeps its promises, and with the stack of each error a whole reader.
        const outcome: unknown = await read.catch((error: unknown) => error);
        expect(outcome).toMatchObject({ exitCode: 9 });
      }
    }),
    { numRuns: 200 },
  );
});
