#!/usr/bin/env node
const { homedir } = require('node:os');
const v8 = require('node:v8');

// undici reads HTTP with a WebAssembly function, which V8 would optimise in 100 ms and 40 MB for a handful of calls.
v8.setFlagsFromString('--liftoff-only');
// The objects of a download live for a moment: a young generation that grows costs memory and saves no time.
v8.setFlagsFromString('--semi-space-growth-factor=1');

try {
  homedir();
} catch {
  // A container may run as a number that no user has. Its home is the root folder then, as most containers say themselves.
  process.env.HOME = '/';
}

const { load, keepCode } = requireBundle();
// After the flags, because V8 refuses code that was compiled under others.
keepCode();

function requireBundle() {
  try {
    return require('../dist/parts.js');
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    console.error('adreport is not built here. Run npm ci in its folder first, which builds it.');
    process.exit(1);
  }
}

// A process whose work comes to nothing, with nothing left to wait for, ends by itself; 0 would say that it is done.
process.exitCode = 1;
load('main.js')
  .main(process.argv.slice(2))
  .then((exitCode) => {
    process.exitCode = exitCode;
  });
