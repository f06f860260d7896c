import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Context } from '../run/context.ts';
import type { LocalServer } from '../server/public-types.ts';
import { formatPlural } from '../text/quantity.ts';
import { declareCommand } from './command.ts';
import { runToEnd } from './run-to-end.ts';
import { requestLine, startFlags, startFromFlags } from './server-flags.ts';

export const execCommand = declareCommand({
  name: 'exec',
  args: ['<command...>'],
  summary: 'run a command against a server, and exit with its code',
  examples: [
    [
      'adreport local-server exec -- adreport whoami',
      'ADREPORT_BASE_URL and ADREPORT_TOKEN are set',
    ],
    ["adreport local-server --delay 0s exec -- sh -c 'echo $ADREPORT_BASE_URL'", 'any command'],
  ],
  flagsAbove: startFlags,
  async action({ context, options: flags, args: [command] }) {
    const { host } = context;
    if (!context.argv.includes('--')) {
      throw new UsageError('Missing -- before the command of exec.', {
        hint: 'Without it, adreport reads the flags of the command as its own.',
      });
    }
    const [program = '', ...args] = command;

    const settingsFolder = mkdtempSync(join(tmpdir(), 'adreport-exec-'));
    const server = await startFromFlags(context, { flags });
    try {
      const env = {
        ...host.env,
        ...buildEnvironment(server, host.env),
        ADREPORT_CONFIG_DIR: settingsFolder,
      };
      const exitCode = await runToEnd({ program, args, env, host });
      if (exitCode !== 0 && !host.signal.aborted) showRefusals(context, server);
      return exitCode;
    } finally {
      await server.close();
      rmSync(settingsFolder, { recursive: true, force: true, maxRetries: 5 });
    }
  },
});

/**
 * Builds environment variables with which a command can reach only the local server: with its first
 * account, no other credentials, and no proxy for its host.
 */
function buildEnvironment(
  { url, accounts }: LocalServer,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const [account] = accounts;
  // Some clients read only one of the two names, or read one only if the other is not set.
  const others = env.no_proxy || env.NO_PROXY;
  // `*` means every host only if it is the whole value.
  const noProxy = others === '*' ? others : [others, new URL(url).hostname].filter(Boolean).join();
  return {
    ADREPORT_BASE_URL: url,
    ADREPORT_TOKEN: account?.token,
    ADREPORT_PROFILE: account?.profile,
    ADREPORT_EMAIL: undefined,
    ADREPORT_PASSWORD: undefined,
    ADREPORT_ACCOUNT: undefined,
    NO_PROXY: noProxy,
    no_proxy: noProxy,
  };
}

function showRefusals({ console }: Context, server: LocalServer): void {
  const requests = server.requests();
  const refused = requests.filter(({ why }) => why !== undefined);
  if (refused.length === 0) return;

  const count = formatPlural(requests.length, 'request');
  console.note(`local-server: ${refused.length} of ${count} failed:`);
  for (const request of refused) console.note(`  ${requestLine(request)}`);
}
