import { once } from 'node:events';
import { resolve } from 'node:path';
import { defaultZone } from '../contract/messages.ts';
import { flagGroup } from '../query/flags/flag.ts';
import { resolvePeriod } from '../query/period.ts';
import type { Context } from '../run/context.ts';
import type { LocalServer } from '../server/public-types.ts';
import { formatPlural } from '../text/quantity.ts';
import { pathWord, quoteForShell } from '../text/quote-for-shell.ts';
import { declareCommand } from './command.ts';
import { execCommand } from './local-server-exec.ts';
import { requestLine, serverFlags, startFromFlags, worldFlags } from './server-flags.ts';

const exportFlags = flagGroup('Flags:', {
  period: {
    flags: '--period <period>',
    meaning: 'the days to write, in Europe/Paris',
    default: 'last-7d',
  },
});

const exportCommand = declareCommand({
  name: 'export',
  args: ['<dir>'],
  summary: 'write the sample data of a period to a folder',
  examples: [
    ['adreport local-server export ./fixtures --period last-week', 'write data to edit'],
    ['adreport local-server --fixtures ./fixtures', 'serve it'],
  ],
  flags: [exportFlags],
  flagsAbove: [worldFlags],
  action: ({ context, options, args: [directory] }) => exportData(context, options, directory),
});

const openapiCommand = declareCommand({
  name: 'openapi',
  summary: 'print the OpenAPI document of the service',
  examples: [
    ['adreport local-server openapi > openapi.json', 'for client generators'],
    ['adreport local-server openapi | npx @redocly/cli lint /dev/stdin', 'in a pipe'],
  ],
  async action({ context }) {
    const { buildOpenapiDocument } = await import('../server/openapi.ts');
    await context.console.result(JSON.stringify(buildOpenapiDocument(), undefined, 2));
  },
});

export const localServerCommand = declareCommand({
  name: 'local-server',
  summary: 'run a test server that behaves like the service',
  examples: [
    ['adreport local-server', 'until Ctrl-C'],
    ["adreport local-server --delay 30s --fault 'status:503'", 'slow and failing'],
  ],
  flags: serverFlags,
  subcommands: [execCommand, exportCommand, openapiCommand],
  async action({ context, options: flags }) {
    const { console, host } = context;
    const server = await startFromFlags(context, {
      flags,
      port: flags.port,
      onRequest: (request) => console.note(requestLine(request)),
    });

    try {
      await announceServer(context, server);
      if (!host.signal.aborted) await once(host.signal, 'abort');
    } finally {
      await server.close();
      // A blocked stderr must not keep the process alive after a signal.
      if (host.stderr === process.stderr) setTimeout(() => process.exit(), 1_000).unref();
    }
  },
});

/** Prints the URL to stdout, and the accounts and an example call to stderr. */
async function announceServer(
  { console, flags, host }: Context,
  { url, accounts }: LocalServer,
): Promise<void> {
  if (flags.json) {
    const records = accounts.map(({ name: _name, ...account }) => account);
    const event = { event: 'listening', url, pid: process.pid, accounts: records };
    await console.result(JSON.stringify(event));
    return;
  }

  await console.result(`adreport local-server listening on ${url}`);
  for (const { email, password, profile, admin, token } of accounts) {
    const role = admin ? `${profile}, admin` : profile;
    console.note(`  ${email}  password ${password}  token ${token}  (${role})`);
  }
  const header = quoteForShell(`Authorization: ${accounts[0]?.token}`, host.platform);
  console.note(`  Try: curl -H ${header} ${url}/campaigns`);
  console.note(`  Or open ${url}/ in a browser. Press Ctrl-C to stop.`);
}

/** Writes the sample data of a period as fixtures, and prints the file names. */
async function exportData(
  { console, host, flags }: Context,
  { period, ...world }: { readonly seed: number; readonly scale: number; readonly period: string },
  directory: string,
): Promise<void> {
  const { builtInFixtures } = await import('../server/world/built-in.ts');
  const { exportFixtures } = await import('../server/fixtures/export.ts');
  const { since, until } = resolvePeriod(
    { period },
    { zone: defaultZone, nowMs: host.wallClock() },
  );
  const data = { fixtures: builtInFixtures(world), since, until };
  const { files, facts } = await exportFixtures(resolve(host.cwd, directory), data);

  if (flags.json) await console.result(JSON.stringify({ files, facts, since, until }));
  else await console.result(files.join('\n'));
  console.note(
    `Wrote ${formatPlural(facts, 'fact')}. Serve them with: adreport local-server --fixtures ${pathWord(directory, host.platform)}`,
  );
}
