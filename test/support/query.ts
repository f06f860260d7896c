import { Command } from 'commander';
import { buildQuery, type QueryContext } from '../../src/query/build-query.ts';
import { addFlags } from '../../src/query/flags/flag.ts';
import { type RunFlags, runFlags } from '../../src/query/flags/run-flags.ts';
import type { Query } from '../../src/query/query.ts';

/** Wednesday 2026-11-18, 15:20:37 in Paris. */
export const testNowMs = Date.parse('2026-11-18T14:20:37Z');

/** Builds the query of a command line of `run`, without its account. */
export function queryOf(words: readonly string[], facts: Partial<QueryContext> = {}): Query {
  const command = new Command().exitOverride();
  addFlags(command, runFlags);
  command.parse(words, { from: 'user' });
  const options = command.opts<RunFlags>();
  const { profile = 'buyer', encoding = 'json', windowClock = 'instant' } = options;
  const read = {
    profile,
    encoding,
    windowClock,
    ...(options.account && { account: options.account }),
  };
  return buildQuery(options, { ...read, stdoutFormat: 'csv', nowMs: testNowMs, ...facts });
}

/** The same, of a line whose words have no blanks. */
export function queryOfLine(line: string, facts: Partial<QueryContext> = {}): Query {
  return queryOf(line.split(' '), facts);
}
