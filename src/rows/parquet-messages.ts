/** What the process that decodes a Parquet file tells the one that started it; the rows come on its standard output. */
export type ParquetMessage =
  | {
      /** It begins to decode a column, or a part of one, that takes so many bytes in the file. */
      readonly kind: 'column';
      readonly sizeBytes: number;
    }
  | {
      /** It has written the rows up to this byte of the file, roughly. */
      readonly kind: 'position';
      readonly bytes: number;
    }
  | {
      /** The file cannot be read; why is a text without a full stop. */
      readonly kind: 'failure';
      readonly reason: string;
    };

/** The descriptor under which the process finds the file. */
export const fileDescriptor = 4;
