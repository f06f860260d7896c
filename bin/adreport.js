#!/usr/bin/env node
import v8 from 'node:v8';

// undici reads HTTP with a WebAssembly function, which V8 would optimise in 50 ms and 40 MB for a
// handful of calls.
v8.setFlagsFromString('--liftoff-only');

// V8 would give young objects 48 MB before the first row has come. A report that is copied from its
// bytes makes few of them, and is no faster with more than 3 MB; who makes objects of rows takes
// this back (`rows/`).
v8.setFlagsFromString('--semi-space-growth-factor=1');

// Until the program is loaded, which listens for itself. The first process of a container gets no
// signal that it does not listen for, so that it could not be ended while it starts.
const endAtOnce = (signal) => process.exit(signal === 'SIGINT' ? 130 : 143);
process.on('SIGINT', endAtOnce).on('SIGTERM', endAtOnce);

// A process whose work comes to nothing, with nothing left to wait for, ends by itself; 0 would say
// that it is done.
process.exitCode = 1;
const { main } = await import('../dist/main.js').catch((error) => {
  if (['EMFILE', 'ENFILE'].includes(error.code)) {
    console.error(`adreport: Cannot start: too many files are open (${error.code}).`);
    console.error('  Raise the limit, for example with: ulimit -n 1024');
    process.exit(2);
  }
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.error('adreport is not built here. Run npm ci in its folder first, which builds it.');
  process.exit();
});
main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
// The program listens now, and is handed what came while it was being loaded.
process.off('SIGINT', endAtOnce).off('SIGTERM', endAtOnce);
