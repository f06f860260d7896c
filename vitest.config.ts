import { defineConfig } from 'vitest/config';

/** `vitest run --mode long` runs the slow ones: fuzzing, kills, other Node versions. */
export default defineConfig(({ mode }) => {
  const long = mode === 'long';
  return {
    test: {
      include: long ? ['test/long/**/*.test.ts'] : ['test/**/*.test.ts'],
      exclude: long ? [] : ['test/long/**', 'test/bench/**'],
      testTimeout: long ? 600_000 : 60_000,
      hookTimeout: 60_000,
      globalSetup: ['test/support/build.ts'],
      // What runs in a process of its own is not seen here.
      coverage: { include: ['src/**/*.ts'], reporter: ['text', 'json'], reportOnFailure: true },
    },
  };
});
