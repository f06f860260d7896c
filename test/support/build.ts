import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

/** Builds the program before the tests, because some of them spawn `bin/adreport.js`. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build:code'], {
    cwd: resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}
