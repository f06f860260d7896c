import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run-cli.ts';
import { startCli } from '../support/spawn.ts';

/** A Parquet file of a few hundred bytes whose columns are one page with many numbers. */
async function fileOf(columnCount: number, valueCount: number): Promise<string> {
  const names = Array.from({ length: columnCount }, (_, i) => `c${i}`);
  const schema = names.map((name) => {
    return { name, type: 'INT32' as const, repetition_type: 'REQUIRED' as const };
  });
  const out = new ByteWriter();
  const writer = new ParquetWriter({
    writer: out,
    schema: [{ name: 'root', num_children: columnCount }, ...schema],
    codec: 'UNCOMPRESSED',
  });
  writer.write({ columnData: names.map((name) => ({ name, data: [1] })) });

  // Every number equals the previous one, which takes no bytes.
  const page = new ByteWriter();
  page.appendVarInt(2 ** 29);
  page.appendVarInt(1);
  page.appendVarInt(valueCount);
  page.appendBytes(new Uint8Array(3));
  const pageStart = out.offset;
  const encoding = { deltaBinaryPacked: 5, rle: 3 };
  serializeTCompactProtocol(out, {
    field_1: 0,
    field_2: page.offset,
    field_3: page.offset,
    field_5: {
      field_1: valueCount,
      field_2: encoding.deltaBinaryPacked,
      field_3: encoding.rle,
      field_4: encoding.rle,
    },
  });
  out.appendBytes(page.getBytes());

  for (const group of writer.row_groups) {
    group.num_rows = BigInt(valueCount);
    for (const { meta_data } of group.columns) {
      if (!meta_data) continue;
      meta_data.num_values = BigInt(valueCount);
      meta_data.data_page_offset = BigInt(pageStart);
      meta_data.total_compressed_size = BigInt(out.offset - pageStart);
    }
  }
  writer.num_rows = BigInt(valueCount);
  writer.finish();

  const cwd = temporaryFolder();
  await writeFile(join(cwd, 'x.parquet'), out.getBytes());
  return cwd;
}

test('a small file that unpacks to gigabytes is exit 9', async () => {
  const cwd = await fileOf(1, 200_000_000);

  const { exitCode, stderr } = await startCli('view x.parquet', { cwd }).ended;

  // On a slow machine it takes too long before it takes too much memory.
  expect(stderr).toMatch(/take more than \d+ MB of memory|takes too long to decode/);
  expect(exitCode).toBe(9);
});

/** The child processes of a process, on Linux. */
function childrenOf(pid: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((each) => parentOf(each) === pid);
}

/** The parent of a running process; `undefined` if it has ended, or is a zombie. */
function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, state, parent] = /^\d+ \(.*\) (\w) (\d+)/s.exec(stat) ?? [];
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

describe.runIf(process.platform === 'linux')('the process that decodes it', () => {
  /** A `view` that is busy for minutes, and its child process. */
  async function viewForLong() {
    const cwd = await fileOf(900, 50_000_000);
    const view = startCli('view x.parquet', { cwd, env: { ADREPORT_TOKEN: 'very-secret' } });
    let decoder = 0;
    const commandOfDecoder = (): string => {
      decoder = childrenOf(view.child.pid ?? 0)[0] ?? 0;
      return decoder === 0 ? '' : readFileSync(`/proc/${decoder}/cmdline`, 'latin1');
    };
    await expect.poll(commandOfDecoder).toContain('parquet-process');
    return { ...view, decoder };
  }

  test('knows no secrets, and ends with the program, which a signal ends', async () => {
    const { child, ended, decoder } = await viewForLong();
    const environment = readFileSync(`/proc/${decoder}/environ`, 'latin1');

    child.kill('SIGINT');

    expect((await ended).exitCode).toBe(130);
    expect(environment).toContain('PATH=');
    expect(environment).not.toContain('secret');
    await expect.poll(() => parentOf(decoder)).toBeUndefined();
  });

  test('ends if the program is killed', async () => {
    const { child, ended, decoder } = await viewForLong();

    child.kill('SIGKILL');

    await ended;
    await expect.poll(() => parentOf(decoder)).toBeUndefined();
  });
});
