#!/usr/bin/env node
import module from 'node:module';

// Node 22 and later keep the compiled code of the program between runs; Node 20 compiles it each time.
module.enableCompileCache?.();

const { main } = await import('../dist/main.js');
process.exitCode = await main(process.argv.slice(2));
