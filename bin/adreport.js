#!/usr/bin/env node
import module from 'node:module';

// Node 22.1 and later keep the compiled program in the system's temporary folder for the next start.
module.enableCompileCache?.();

// Stays if the process runs out of things to wait for before it is done.
process.exitCode = 1;
const { main } = await import('../dist/main.js');
process.exitCode = await main(process.argv.slice(2));
