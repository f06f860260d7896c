import type { LocalServer, LocalServerOptions } from '../../src/server/start.ts';
import { startForTest } from '../server/local.ts';
import { type CliOptions, type CliResult, type CommandLine, runCli, temporaryFolder, usualStartMs } from './run-cli.ts';

/** A local server for one test, and command lines that run against it as one of its accounts. */
export interface TestService {
  readonly server: LocalServer;
  /** Runs a command line signed in; each pause of the program moves the server's clock on by as much. */
  readonly run: (line: CommandLine, options?: CliOptions) => Promise<CliResult>;
  /** How many calls of one kind the server has had. */
  readonly calls: (endpoint: 'auth' | 'buyer' | 'status' | 'download' | 'campaigns') => number;
  /** The working folder that every command line of the test shares, settings included. */
  readonly cwd: string;
}

/**
 * Starts a server whose clock and the program's begin alike, and whose reports take two seconds unless told otherwise.
 * @param account whose token the command lines carry
 */
export async function serveForTest(
  options: LocalServerOptions = {},
  account: 'buyer' | 'admin' | 'dsp' | 'awkward' = 'buyer',
): Promise<TestService> {
  const isPaced = options.polls !== undefined || options.manual;
  const server = await startForTest({ clock: () => usualStartMs, ...(isPaced ? {} : { delayMs: 2_000 }), ...options });
  const cwd = temporaryFolder();
  const token = server.accounts.find(({ name }) => name === account)?.token;
  const env = {
    ADREPORT_BASE_URL: server.url,
    ADREPORT_TOKEN: token,
    ADREPORT_PROFILE: account === 'dsp' ? 'dsp' : 'buyer',
  };
  return {
    server,
    cwd,
    calls: (endpoint) => server.requests().filter((request) => request.endpoint === endpoint).length,
    run: (line, more = {}) =>
      runCli(line, {
        cwd,
        ...more,
        env: { ...env, ...more.env },
        onSleep: async (durationMs) => {
          server.advance(durationMs);
          await more.onSleep?.(durationMs);
        },
      }),
  };
}
