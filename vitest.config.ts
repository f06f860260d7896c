import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The topics of help are loaded as text, as esbuild does. */
const markdown = {
  name: 'markdown',
  transform: (text: string, id: string) =>
    id.endsWith('.md') ? `export default ${JSON.stringify(text)};` : undefined,
};

/** `vitest run --mode long` runs the slow ones: fuzzing, kills, other Node versions. */
export default defineConfig(({ mode }) => {
  const long = mode === 'long';
  return {
    plugins: [markdown],
    test: {
      include: long ? ['test/long/**/*.test.ts'] : ['test/**/*.test.ts'],
      exclude: long ? [] : ['test/long/**', 'test/bench/**'],
      testTimeout: long ? 600_000 : 60_000,
      hookTimeout: 60_000,
      // By itself vitest leaves a core free; these tests wait for processes of their own most of the time. A worker loads
      // the program once for all of its files, which change nothing that outlives a test: it saves a third of the time.
      ...(long ? {} : { isolate: false, maxWorkers: Math.max(2, availableParallelism() - 1) }),
      globalSetup: ['test/support/build.ts'],
      // What runs in a process of its own is not seen: the real streams and signals, and the questions of a terminal, which
      // bin.test.ts and terminal.test.ts go through.
      coverage: {
        include: ['src/**/*.ts'],
        exclude: ['src/host.ts', 'src/ui/prompt.ts'],
        reporter: ['text-summary', 'json'],
        reportOnFailure: true,
        thresholds: { lines: 97 },
      },
    },
  };
});
