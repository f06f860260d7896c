import type { FileHost } from '../../src/text/file-in-use.ts';

/** Sleeping only advances the stopwatch. */
export function fileHost(
  platform: NodeJS.Platform = process.platform,
  signal = new AbortController().signal,
): FileHost {
  let elapsedMs = 0;
  return {
    platform,
    signal,
    stopwatch: () => elapsedMs,
    async sleep(durationMs, ended) {
      elapsedMs += durationMs;
      ended?.throwIfAborted();
    },
  };
}
