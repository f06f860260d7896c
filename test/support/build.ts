import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

/**
 * Builds the program once before the tests, so that those which spawn `bin/adreport.js` run today's
 * code.
 */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build:code'], {
    cwd: resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}
