#!/usr/bin/env node
import v8 from 'node:v8';

// undici parses HTTP with WebAssembly. Optimizing it would take V8 50 ms and 40 MB for a few calls.
v8.setFlagsFromString('--liftoff-only');

// V8 would reserve 48 MB for young objects before the first row. Copying a report creates few
// objects and is not faster with more than 3 MB. Code that creates objects for rows raises this
// again (`rows/`).
v8.setFlagsFromString('--semi-space-growth-factor=1');

// Handles signals until the program is loaded: the first process of a container only gets signals
// that it listens for, so it could not be ended during startup.
const endAtOnce = (signal) => process.exit(signal === 'SIGINT' ? 130 : 143);
process.on('SIGINT', endAtOnce).on('SIGTERM', endAtOnce);

// Used if the process runs out of things to wait for before it is done.
process.exitCode = 1;
const { main } = await import('../dist/main.js').catch((error) => {
  const { code } = error;
  if (code === 'EMFILE' || code === 'ENFILE') {
    const message = `Too many files are open (${code}).`;
    const hint = 'Raise the limit, for example with: ulimit -n 1024';
    endWithError({ code, message, hint, exitCode: 2 });
  }
  if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
  const hint = 'Run npm ci in its folder, which builds it.';
  endWithError({ code: 'NOT_BUILT', message: 'This clone has not been built.', hint, exitCode: 1 });
});
main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
// The program now has its own handlers, and gets signals that arrived during loading.
process.off('SIGINT', endAtOnce).off('SIGTERM', endAtOnce);

/** Prints an error as the program would, which is not loaded, and ends. */
function endWithError({ code, message, hint, exitCode }) {
  const error = { code, message, hint, retryable: false, exitCode, reportId: null };
  const isJson = process.argv.includes('--json');
  console.error(isJson ? JSON.stringify({ error }) : `adreport: ${message}\n  ${hint}`);
  process.exit(exitCode);
}
