import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import type { EncodeOptions, Encoder, PagePrinter, Pieces } from '../encoder.ts';
import { createEncoder as createPageEncoder } from './html.ts';

/** The page as a browser prints it. Throws what the printer throws, at the end. */
export function createEncoder(options: EncodeOptions): Encoder {
  const { printer } = options;
  if (!printer) throw new Error('A PDF is written with a printer, and there is none.');
  return new PdfEncoder(createPageEncoder(options), printer);
}

class PdfEncoder implements Encoder {
  readonly #page: Encoder;

  readonly #print: PagePrinter;

  constructor(page: Encoder, print: PagePrinter) {
    this.#page = page;
    this.#print = print;
  }

  encode(batch: RowBatch): Pieces {
    return this.#page.encode(batch);
  }

  async end(tail: ReportTail, warnings: readonly string[] = []): Promise<Pieces> {
    const pieces = await this.#page.end(tail, warnings);
    return [await this.#print(Buffer.concat(pieces))];
  }
}
