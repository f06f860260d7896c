import type { ColumnChunk, RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import type { Pieces } from '../encoder.ts';

/** How a column is kept: days, moments in UTC, times of no zone, 64-bit integers, doubles, UTF-8. */
export type ColumnKind = 'date' | 'hour' | 'wallTime' | 'integer' | 'money' | 'text';

/** The values of a column in one row group, in their physical form: little-endian, texts after their length. */
export interface Chunk {
  /** For each row, whether it has a value: 1, else 0. */
  readonly levels: Uint8Array;
  readonly valueCount: number;
  /** The distinct values, where the values are numbers into them. */
  readonly dictionary: { readonly bytes: Uint8Array; readonly count: number; readonly codes: Int32Array } | undefined;
  /** Where there is no dictionary. */
  readonly plain: Uint8Array;
  /** The least and the greatest value, in the footer's statistics; `undefined` where there is none. */
  readonly min: number | bigint | Uint8Array | undefined;
  readonly max: number | bigint | Uint8Array | undefined;
}

const elements: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>> = {
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  hour: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  // Without the older `converted_type`, which would say that it is UTC.
  wallTime: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
  integer: { type: 'INT64' },
  // Not DECIMAL(18,2): it would round what has more decimals, as revenue of single rows may. A double holds every
  // amount of up to 15 digits and gives it back as it was; one that it does not hold is refused, never rounded.
  money: { type: 'DOUBLE' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
};

const magic = 0x31524150; // PAR1

/**
 * The frame of a Parquet file (https://parquet.apache.org/docs/file-format/): row groups one after the other, then the
 * footer that says where they are. The pieces that its calls return are good until the next call.
 */
export class ParquetFile {
  /** Its `offset` counts the whole file, its buffer holds what has not been handed out. */
  readonly #out = new ByteWriter();
  readonly #page = new ByteWriter();
  readonly #groups: { readonly chunks: ColumnChunk[]; readonly rowCount: number }[] = [];

  constructor() {
    this.#out.appendUint32(magic);
  }

  /** One row group. A later one may have more columns, after those of the earlier ones. */
  writeGroup(columns: readonly { readonly kind: ColumnKind; readonly chunk: Chunk }[], rowCount: number): Pieces {
    this.#groups.push({ chunks: columns.map(({ kind, chunk }) => this.#writeChunk(kind, chunk)), rowCount });
    return this.#takePieces();
  }

  /**
   * The footer. Groups that lack the later columns get nulls for them.
   * @param texts the key-value metadata of the file
   */
  end(
    columns: readonly { readonly kind: ColumnKind; readonly name: string }[],
    texts: readonly { readonly key: string; readonly value: string }[],
  ): Pieces {
    const rowGroups = this.#groups.map(({ chunks, rowCount }): RowGroup => {
      for (const { kind } of columns.slice(chunks.length)) chunks.push(this.#writeChunk(kind, nulls(rowCount)));
      for (const [i, { name }] of columns.entries()) chunks[i]?.meta_data?.path_in_schema.push(name);
      const sum = (of: 'total_uncompressed_size' | 'total_compressed_size'): bigint =>
        chunks.reduce((total, { meta_data }) => total + (meta_data?.[of] ?? 0n), 0n);
      return {
        columns: chunks,
        num_rows: BigInt(rowCount),
        total_byte_size: sum('total_uncompressed_size'),
        total_compressed_size: sum('total_compressed_size'),
      };
    });
    const root: SchemaElement = { name: 'schema', num_children: columns.length };
    const leaves = columns.map(({ kind, name }): SchemaElement => {
      return { name, repetition_type: 'OPTIONAL', ...elements[kind] };
    });
    writeMetadata(this.#out, {
      version: 2,
      created_by: 'adreport',
      schema: [root, ...leaves],
      num_rows: rowGroups.reduce((sum, { num_rows }) => sum + num_rows, 0n),
      row_groups: rowGroups,
      key_value_metadata: [...texts],
      metadata_length: 0,
    });
    this.#out.appendUint32(magic);
    return this.#takePieces();
  }

  #takePieces(): Pieces {
    const bytes = this.#out.getBytes();
    this.#out.index = 0;
    return [bytes];
  }

  /** Pages of the first version, which every reader knows. The column's name is added at the end, when all are known. */
  #writeChunk(kind: ColumnKind, chunk: Chunk): ColumnChunk {
    const { type = 'BYTE_ARRAY' } = elements[kind];
    const { levels, valueCount, dictionary, plain, min, max } = chunk;
    const start = this.#out.offset;
    let uncompressedBytes = 0;
    if (dictionary) {
      const header = { num_values: dictionary.count, encoding: 'PLAIN' as const };
      uncompressedBytes += this.#writePage('DICTIONARY_PAGE', dictionary.bytes, { dictionary_page_header: header });
    }
    const dataStart = this.#out.offset;
    const encoding = dictionary ? ('RLE_DICTIONARY' as const) : ('PLAIN' as const);
    const header = { encoding, definition_level_encoding: 'RLE', repetition_level_encoding: 'RLE' } as const;
    uncompressedBytes += this.#writePage('DATA_PAGE', this.#dataOf(levels, dictionary, plain), {
      data_page_header: { num_values: levels.length, ...header },
    });
    return {
      file_offset: BigInt(start),
      meta_data: {
        type,
        encodings: dictionary ? ['PLAIN', 'RLE', encoding] : ['PLAIN', 'RLE'],
        path_in_schema: [],
        codec: 'SNAPPY',
        num_values: BigInt(levels.length),
        total_uncompressed_size: BigInt(uncompressedBytes),
        total_compressed_size: BigInt(this.#out.offset - start),
        data_page_offset: BigInt(dataStart),
        ...(dictionary ? { dictionary_page_offset: BigInt(start) } : {}),
        statistics: {
          null_count: BigInt(levels.length - valueCount),
          ...(min === undefined || max === undefined ? {} : { min_value: min, max_value: max }),
        },
      },
    };
  }

  /** The levels after their length, then the values or the numbers into the dictionary. */
  #dataOf(levels: Uint8Array, dictionary: Chunk['dictionary'], plain: Uint8Array): Uint8Array {
    const page = this.#page;
    page.index = 0;
    page.offset = 0;
    page.appendUint32(0);
    page.view.setUint32(0, writeRleBitPackedHybrid(page, levels, 1), true);
    if (dictionary) {
      const bitWidth = Math.ceil(Math.log2(Math.max(1, dictionary.count)));
      page.appendUint8(bitWidth);
      writeRleBitPackedHybrid(page, dictionary.codes, bitWidth);
    } else page.appendBytes(plain);
    return page.getBytes();
  }

  /** @returns how many bytes it has without compression */
  #writePage(
    type: 'DICTIONARY_PAGE' | 'DATA_PAGE',
    bytes: Uint8Array,
    header: Pick<Parameters<typeof writePageHeader>[1], 'dictionary_page_header' | 'data_page_header'>,
  ): number {
    const compressed = snappyCompress(bytes);
    const start = this.#out.offset;
    const sizes = { uncompressed_page_size: bytes.length, compressed_page_size: compressed.length };
    writePageHeader(this.#out, { type, ...sizes, ...header });
    const headerBytes = this.#out.offset - start;
    this.#out.appendBytes(compressed);
    return headerBytes + bytes.length;
  }
}

function nulls(rowCount: number): Chunk {
  const nothing = new Uint8Array(0);
  return {
    levels: new Uint8Array(rowCount),
    valueCount: 0,
    dictionary: undefined,
    plain: nothing,
    min: undefined,
    max: undefined,
  };
}
