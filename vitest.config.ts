import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { bundledImport, bundledText } from './.ci/bundled-text.js';

type TestConfig = ViteUserConfig['test'];

/** The topics of help are loaded as text, as esbuild does. */
const markdown = {
  name: 'markdown',
  transform: (text: string, id: string) =>
    id.endsWith('.md') ? `export default ${JSON.stringify(text)};` : undefined,
};

const bundledScripts = {
  name: 'bundled scripts',
  load: (id: string) =>
    bundledImport.test(id) ? `export default ${JSON.stringify(bundledText(id))};` : undefined,
};

/**
 * Where tests put their folders: in memory where the system offers room there, which saves a tenth
 * of the time.
 */
function temporaryFolders(): string {
  const inMemory = '/dev/shm';
  if (process.env.TMPDIR !== undefined || !existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize > 4e9 ? inMemory : tmpdir();
}

const fastTests: TestConfig = {
  include: ['test/**/*.test.ts'],
  exclude: ['test/long/**', 'test/bench/**'],
  testTimeout: 60_000,
  // A worker loads the program once for all of its files, which change nothing that outlives a
  // test: it saves a third of the time. By itself vitest leaves a core free; these tests wait for
  // processes of their own most of the time.
  isolate: false,
  maxWorkers: Math.max(2, availableParallelism() - 1),
  env: { TMPDIR: temporaryFolders() },
};

/** The slow ones: fuzzing, kills, other Node versions. They mostly wait for other programs. */
const longTests: TestConfig = {
  include: ['test/long/**/*.test.ts'],
  testTimeout: 600_000,
  maxWorkers: Math.max(2, availableParallelism() - 1),
};

const allTests: TestConfig = {
  hookTimeout: 60_000,
  // Tests that wait do so together.
  maxConcurrency: 20,
  // What a process of its own does comes when the machine has time for it.
  expect: { poll: { timeout: 30_000 } },
  // The values of a table are cut in the name of a test where they are longer.
  chaiConfig: { truncateThreshold: 120 },
  globalSetup: ['test/support/build.ts'],
  // What runs in a process of its own is not seen: the real streams and signals, the questions of a
  // terminal, which bin.test.ts and terminal.test.ts go through, the process that decodes Parquet, and
  // the script of a page, which browser.test.ts does.
  coverage: {
    include: ['src/**/*.ts'],
    exclude: [
      'src/host.ts',
      'src/ui/prompt.ts',
      'src/rows/parquet-{process,reader}.ts',
      'src/present/page/browser/**',
    ],
    reporter: ['text-summary', 'json'],
    reportOnFailure: true,
    thresholds: { lines: 97 },
  },
};

/** `vitest run` runs the fast tests, and `vitest run --mode long` the long ones. */
export default defineConfig(({ mode }) => {
  const testsOfMode = mode === 'long' ? longTests : fastTests;
  return { plugins: [markdown, bundledScripts], test: { ...allTests, ...testsOfMode } };
});
