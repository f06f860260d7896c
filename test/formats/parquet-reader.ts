import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';

/** Reads a Parquet file with an independent library. */
export async function readParquet(bytes: Buffer) {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const metadata = parquetMetadata(file);
  const columns = parquetSchema(metadata).children.map(({ element }) => element);
  return {
    metadata,
    groupRows: metadata.row_groups.map(({ num_rows }) => Number(num_rows)),
    types: Object.fromEntries(
      columns.map(({ name, type, converted_type }) => [name, converted_type ?? type]),
    ),
    rows: (await parquetReadObjects({ file, metadata })) as Record<string, unknown>[],
  };
}
