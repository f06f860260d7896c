import type {
  EncodeOptions,
  Encoder,
  PagePrinter,
  Pieces,
  ReportJudgement,
} from '../output/encoder.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { PageEncoder } from './html.ts';

/** The page as a browser prints it. Throws what the printer throws, at the end. */
export class PdfEncoder implements Encoder {
  readonly #page: PageEncoder;

  readonly #print: PagePrinter;

  constructor(options: EncodeOptions) {
    const { printer } = options;
    if (!printer) throw new Error('A PDF is written with a printer, and there is none.');
    this.#page = new PageEncoder(options);
    this.#print = printer;
  }

  encode(batch: RowBatch): Pieces {
    return this.#page.encode(batch);
  }

  async end(tail: ReportTail, judgement?: ReportJudgement): Promise<Pieces> {
    const pieces = this.#page.end(tail, judgement);
    return [await this.#print(Buffer.concat(pieces))];
  }
}
