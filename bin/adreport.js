#!/usr/bin/env node
import { main } from '../dist/main.js';

// Stays if the process runs out of things to wait for before it is done.
process.exitCode = 1;
process.exitCode = await main(process.argv.slice(2));
