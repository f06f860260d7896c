import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { Documents } from './documents.ts';

/** One way to get a report into a file. */
export interface Subject {
  readonly name: string;
  readonly command: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The subject that its time is divided by. */
  readonly peer?: string;
  /** So many bytes a row has at least; 100 where not given. */
  readonly leastRowBytes?: number;
  /** Run once: it takes long, and it is clear by how much. */
  readonly slow?: boolean;
}

interface Places extends Documents {
  /** Where the document is served. */
  readonly url: string;
  readonly output: string;
  readonly folder: string;
}

const copyProgram = `
const [, from, to] = process.argv;
const { createReadStream, createWriteStream } = require('node:fs');
require('node:stream').pipeline(createReadStream(from), createWriteStream(to), (error) => process.exit(error ? 1 : 0));
`;

const pythonProgram = `
import csv, json, sys
rows = json.load(open(sys.argv[1]))["data"]
with open(sys.argv[2], "w", newline="") as out:
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
`;

const duckProgram = `
const [, from, to, options] = process.argv;
(async () => {
  const { DuckDBInstance } = require('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run("COPY (SELECT * FROM read_ndjson_auto('" + from + "')) TO '" + to + "' (" + options + ")");
})();
`;

/** The subjects that this machine has, and the names of those that it lacks. */
export function peers({ json, ndjson, url, output, folder }: Places): { present: Subject[]; missing: string[] } {
  const node = process.execPath;
  const sh = (script: string) => ['-c', script, 'sh', json, output];
  const env = { ADREPORT_BASE_URL: url, ADREPORT_TOKEN: 'x'.repeat(40), ADREPORT_CONFIG_DIR: folder };
  const adreport = (format: string, ...flags: string[]) => ({
    command: node,
    argv: [resolve('bin/adreport.js'), 'download', 'bench', '--format', format, '-o', output, '-q', ...flags],
    env,
  });
  const copy = 'a plain copy (node)';
  const curl = 'curl -o';
  const duck = 'DuckDB, from ready-made NDJSON';
  const duckParquet = 'DuckDB, to Parquet';
  const duckTo = (options: string) => ({ command: node, argv: ['-e', duckProgram, ndjson, output, options] });
  const all: Subject[] = [
    { name: copy, command: node, argv: ['-e', copyProgram, json, output] },
    { name: curl, command: 'curl', argv: ['-s', '-o', output, url] },
    { name: duck, ...duckTo('FORMAT csv, HEADER') },
    { name: duckParquet, ...duckTo('FORMAT parquet'), leastRowBytes: 10 },
    { name: 'adreport, to CSV', ...adreport('csv'), peer: hasDuckDb() ? duck : copy },
    { name: 'adreport, to CSV for Excel', ...adreport('csv', '--excel'), peer: copy },
    { name: 'adreport, to NDJSON', ...adreport('ndjson'), peer: curl },
    { name: 'adreport, to JSON', ...adreport('json'), peer: curl },
    {
      name: 'adreport, to Parquet',
      ...adreport('parquet'),
      peer: hasDuckDb() ? duckParquet : copy,
      leastRowBytes: 10,
    },
    { name: 'adreport, to Excel', ...adreport('xlsx'), peer: copy, slow: true },
    { name: 'python3, to CSV', command: 'python3', argv: ['-c', pythonProgram, json, output], slow: true },
    {
      name: 'jq, to CSV',
      command: 'sh',
      argv: sh('jq -r ".data | (.[0] | keys_unsorted), (.[] | [.[]]) | @csv" "$1" > "$2"'),
      slow: true,
    },
    {
      name: 'Miller, to CSV',
      command: 'sh',
      argv: ['-c', `mlr --ijsonl --ocsv cat "${ndjson}" > "${output}"`],
      slow: true,
    },
  ];
  const needs = new Map([
    [duck, hasDuckDb()],
    [duckParquet, hasDuckDb()],
    ['jq, to CSV', has('jq')],
    ['Miller, to CSV', has('mlr')],
  ]);
  const isHere = ({ name, command }: Subject) => needs.get(name) ?? has(command);
  return { present: all.filter(isHere), missing: all.filter((subject) => !isHere(subject)).map(({ name }) => name) };
}

function has(command: string): boolean {
  return spawnSync(command, ['--version']).error === undefined;
}

function hasDuckDb(): boolean {
  try {
    createRequire(resolve('package.json')).resolve('@duckdb/node-api');
    return true;
  } catch {
    return false;
  }
}
