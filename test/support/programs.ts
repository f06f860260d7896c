import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { temporaryFolder } from './run-cli.ts';
import { launcher } from './spawn.ts';

// Programs of this machine that tests run. Tests whose programs are missing are skipped.

/** Installs `adreport` into a folder for the PATH. */
export function installInto(folder: string): void {
  const script = `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`;
  writeFileSync(join(folder, 'adreport'), script, { mode: 0o755 });
}

/** Returns a PATH with the built `adreport`, for one test. */
export function pathWithAdreport(): string {
  const folder = temporaryFolder();
  installInto(folder);
  return [folder, process.env.PATH].join(delimiter);
}

/** Returns Bash that calls the server of `local-server exec`: Node would take 0.2 s to start. */
export function callServer(call: string, headers: readonly string[] = [], body = ''): string {
  const lines = [`${call} HTTP/1.0`, ...headers, `Content-Length: ${body.length}`, '', body];
  const connect = 'exec 3<>"/dev/tcp/127.0.0.1/${ADREPORT_BASE_URL##*:}"';
  return `${connect}; printf '%b' "${lines.join('\\r\\n')}" >&3; cat <&3 >/dev/null`;
}

/** Returns the path of the first of some programs that is on the PATH. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

export const isInstalled = (program: string): boolean => findProgram(program) !== undefined;

type Row = Readonly<Record<string, string | number | null>>;

const tools = process.env.ADREPORT_TOOLS ?? '';

export const hasDuckDb = tools !== '' && existsSync(join(tools, 'node_modules/@duckdb/node-api'));

/**
 * Opens a DuckDB in memory, from the package in ADREPORT_TOOLS. Returns a function that runs SQL
 * and returns rows.
 */
export async function openDuckDb(): Promise<(sql: string) => Promise<Row[]>> {
  const { DuckDBInstance } = createRequire(join(tools, 'package.json'))('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create()).connect();
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

/** Lists the sorted names in a folder, without its history. */
export function daysIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('_'))
    .sort();
}
