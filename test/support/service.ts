import type { EndpointName } from '../../src/contract/messages.ts';
import type { ServerOptions } from '../../src/server/options.ts';
import { type AccountName, startForTest, tokens } from '../server/local.ts';
import {
  type CliOptions,
  type CliResult,
  type CommandLine,
  runCli,
  temporaryFolder,
} from './run-cli.ts';

/**
 * Starts a local server with the clock of the program and, by default, reports that take two
 * seconds. Command lines run against it as one of its accounts, in one folder.
 */
export async function serveForTest(options: ServerOptions = {}, account: AccountName = 'buyer') {
  const isPaced = options.polls !== undefined || options.manual;
  const server = await startForTest(isPaced ? options : { delayMs: 2_000, ...options });

  const cwd = temporaryFolder();
  const env = {
    ADREPORT_BASE_URL: server.url,
    ADREPORT_TOKEN: tokens[account],
    ADREPORT_PROFILE: account === 'dsp' ? 'dsp' : 'buyer',
  };

  /** Runs a command line signed in; each pause of the program advances the server's clock. */
  function run(line: CommandLine, more: CliOptions = {}): Promise<CliResult> {
    return runCli(line, {
      cwd,
      ...more,
      env: { ...env, ...more.env },
      onSleep: async (durationMs) => {
        server.advance(durationMs);
        await more.onSleep?.(durationMs);
      },
    });
  }

  /** Counts the calls of one kind. */
  function calls(endpoint: EndpointName): number {
    return server.requests().filter((request) => request.endpoint === endpoint).length;
  }

  return { server, cwd, env, run, calls };
}
