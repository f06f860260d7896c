import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import type { ReportRequest } from '../../src/contract/messages.ts';
import { type DimensionName, type MetricName, metrics } from '../../src/contract/vocabulary.ts';
import { encodeJson } from '../../src/server/encode/encode-report.ts';
import { computeReport } from '../../src/server/engine/compute-report.ts';
import { builtInFixtures } from '../../src/server/fixtures/built-in.ts';
import { dimensionNames, type FactChunk, type FactSource } from '../../src/server/fixtures/facts.ts';
import { createFixtures, type Fixtures } from '../../src/server/fixtures/fixtures.ts';
import { FactStore } from '../../src/server/fixtures/stored-facts.ts';
import { median } from './figures/median.ts';

/**
 * One million facts grouped into rows, by this project's report engine and by DuckDB, both with the facts loaded before:
 * here to the report's JSON text, there to JavaScript objects. DuckDB is no dependency; install it anywhere and say where:
 *
 *   npm install --prefix /some/folder @duckdb/node-api
 *   NODE_PATH=/some/folder/node_modules npm run bench engine
 */

const factCount = 1_000_000;
const runs = 9;
const metricNames: readonly MetricName[] = metrics.map(({ name }) => name);
const cases: readonly (readonly DimensionName[])[] = [
  ['CAMPAIGN', 'CITY', 'DEVICEMODEL', 'CARRIER', 'BUNDLEID'],
  ['CAMPAIGN', 'COUNTRY'],
];

/** The part of DuckDB's Node package that is used here. */
interface DuckDb {
  readonly DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<Connection> }> };
}
interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjectsJS(): readonly unknown[] }>;
  createAppender(table: string): Promise<Appender>;
}
interface Appender {
  appendInteger(value: number): void;
  appendVarchar(value: string): void;
  appendNull(): void;
  endRow(): void;
  closeSync(): void;
}

interface Measurement {
  readonly rows: number;
  readonly medianMs: number;
}

async function measure(run: () => Promise<number>): Promise<Measurement> {
  const timesMs: number[] = [];
  let rows = 0;
  for (let count = 0; count < runs; count++) {
    const startMs = performance.now();
    rows = await run();
    timesMs.push(performance.now() - startMs);
  }
  return { rows, medianMs: median(timesMs) };
}

/** A million of the built-in facts, held in columns. */
function millionFacts(): Fixtures {
  const builtIn = builtInFixtures({ seed: 1, scale: 16 });
  const store = new FactStore();
  let count = 0;
  const reader = builtIn.facts.open({ dimensions: dimensionNames, wanted: new Map() });
  const firstHour = Date.UTC(2026, 5, 1) / 3_600_000;
  for (const chunk of reader.read(firstHour, firstHour + 8_760)) {
    for (let row = 0; row < chunk.count && count < factCount; row++, count++) {
      store.add(
        chunk.hours[row] ?? 0,
        dimensionNames.map((name) => chunk.codes[name]?.[row] ?? 0),
        metricNames.map((name) => chunk.metrics[name][row] ?? 0),
      );
    }
    if (count === factCount) break;
  }
  return createFixtures(builtIn.accounts, builtIn.campaigns, store.source(builtIn.facts.members));
}

async function measureEngine(fixtures: Fixtures, dimensions: readonly DimensionName[]): Promise<Measurement> {
  const { facts, accounts } = fixtures;
  const admin = accounts.find((account) => account.admin);
  if (!admin) throw new Error('There is no admin account.');
  const request: ReportRequest = {
    since: facts.firstHour * 3_600,
    until: facts.lastHour * 3_600,
    metrics: metricNames,
    breakdowns: dimensions,
    filters: {},
  };
  const table = computeReport(fixtures, admin, request, { nowMs: 0, restateDays: 0 });
  let rows = 0;
  for await (const batch of table.batches()) rows += batch.count;
  return measure(async () => {
    let written = 0;
    for await (const piece of encodeJson(table)) written += piece.length;
    if (written === 0) throw new Error('Nothing was written.');
    return rows;
  });
}

function loadDuckDb(): DuckDb | undefined {
  try {
    return createRequire(import.meta.url)('@duckdb/node-api') as DuckDb;
  } catch {
    return undefined;
  }
}

const column = (name: DimensionName): string => name.toLowerCase();

async function fillTable(
  connection: Connection,
  facts: FactSource,
  dimensions: readonly DimensionName[],
): Promise<void> {
  const columns = [
    'hour INTEGER',
    ...dimensions.map((name) => `${column(name)} VARCHAR`),
    ...metricNames.map((name) => `${name} INTEGER`),
  ];
  await connection.run(`CREATE TABLE facts (${columns.join(', ')})`);
  const appender = await connection.createAppender('facts');
  const append = (chunk: FactChunk, row: number): void => {
    appender.appendInteger(chunk.hours[row] ?? 0);
    for (const name of dimensions) {
      const text = facts.members[name][chunk.codes[name]?.[row] ?? 0]?.values[0] ?? null;
      if (text === null) appender.appendNull();
      else appender.appendVarchar(text);
    }
    for (const name of metricNames) appender.appendInteger(chunk.metrics[name][row] ?? 0);
    appender.endRow();
  };
  const reader = facts.open({ dimensions, wanted: new Map() });
  for (const chunk of reader.read(facts.firstHour, facts.lastHour)) {
    for (let row = 0; row < chunk.count; row++) append(chunk, row);
  }
  appender.closeSync();
}

/** Turns the text columns into enumerations: DuckDB's dictionary encoding, which it has to be told to use. */
async function enumerate(connection: Connection, dimensions: readonly DimensionName[]): Promise<void> {
  for (const name of dimensions.map(column)) {
    await connection.run(
      `CREATE TYPE ${name}_type AS ENUM (SELECT DISTINCT ${name} FROM facts WHERE ${name} IS NOT NULL)`,
    );
    await connection.run(`ALTER TABLE facts ALTER ${name} TYPE ${name}_type`);
  }
}

function measureDuckDb(connection: Connection, dimensions: readonly DimensionName[]): Promise<Measurement> {
  const names = dimensions.map(column).join(', ');
  const sums = metricNames.map((name) => `sum(${name})::DOUBLE AS ${name}`).join(', ');
  const sql = `SELECT ${names}, ${sums} FROM facts GROUP BY ${names} ORDER BY ${names}`;
  return measure(async () => (await connection.runAndReadAll(sql)).getRowObjectsJS().length);
}

function print(cells: readonly string[]): void {
  console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(34) : cell.padStart(14))).join(''));
}

const fixtures = millionFacts();
const engine: Measurement[] = [];
for (const dimensions of cases) engine.push(await measureEngine(fixtures, dimensions));
const header = cases.map((dimensions, index) => `${dimensions.length} dims, ${engine[index]?.rows} rows`);
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; ${factCount} facts, medians of ${runs}`);
console.log(cases.map((dimensions) => `${dimensions.length} dims: ${dimensions.join(' ')}`).join('\n'));
print(['', ...header.map((text) => text.padStart(24))]);
print(['adreport, to JSON text', ...engine.map(({ medianMs }) => `${medianMs.toFixed(0)} ms`.padStart(24))]);

const duckDb = loadDuckDb();
if (duckDb) {
  const connection = await (await duckDb.DuckDBInstance.create(':memory:')).connect();
  const dimensions = [...new Set(cases.flat())];
  await fillTable(connection, fixtures.facts, dimensions);
  for (const [label, prepare] of [
    ['DuckDB, text columns, to objects', async () => {}],
    ['DuckDB, enum columns, to objects', () => enumerate(connection, dimensions)],
  ] as const) {
    await prepare();
    const cells: string[] = [];
    for (const [index, names] of cases.entries()) {
      const { medianMs, rows } = await measureDuckDb(connection, names);
      if (rows !== engine[index]?.rows) throw new Error(`DuckDB finds ${rows} rows.`);
      const ratio = (engine[index]?.medianMs ?? 0) / medianMs;
      cells.push(`${medianMs.toFixed(0)} ms (ratio ${ratio.toFixed(2)})`.padStart(24));
    }
    print([label, ...cells]);
  }
} else {
  console.log('DuckDB is missing: @duckdb/node-api was not found on NODE_PATH.');
}
