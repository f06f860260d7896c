import type { FileMachine } from '../../src/text/held-file.ts';

/** A machine with this platform whose sleep only advances its stopwatch. */
export function fileMachine(
  platform: NodeJS.Platform = process.platform,
  signal = new AbortController().signal,
): FileMachine {
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
