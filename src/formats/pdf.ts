import type {
  EncodeOptions,
  Encoder,
  PagePrinter,
  Pieces,
  ReportMessages,
} from '../output/encoder.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { PageEncoder } from './html.ts';

/** Writes a page as a PDF. `end` throws `OutputError` if the browser fails. */
export class PdfEncoder implements Encoder {
  readonly #page: PageEncoder;

  readonly #print: PagePrinter;

  constructor(options: EncodeOptions) {
    const { printer } = options;
    if (!printer) throw new Error('The PDF format needs a printer.');
    this.#page = new PageEncoder(options);
    this.#print = printer;
  }

  encode(batch: RowBatch): Pieces {
    return this.#page.encode(batch);
  }

  async end(tail: ReportTail, messages?: ReportMessages): Promise<Pieces> {
    const pieces = this.#page.end(tail, messages);
    return [await this.#print(Buffer.concat(pieces))];
  }
}
