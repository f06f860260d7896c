import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { codeOf, UsageError } from '../../errors.ts';
import type { LoggedRequest } from '../../server/local-server.ts';
import type { LocalServer, LocalServerOptions as ServerOptions } from '../../server/start.ts';
import type { LocalServerOptions } from '../local-server.ts';

/** Serves until Ctrl-C or SIGTERM, which end it cleanly: that is what it is for, so exit 0. */
export async function localServer(context: Context, options: LocalServerOptions): Promise<void> {
  const server = await startFromFlags(context, options, { host: options.host, port: options.port });
  try {
    await announce(context, server);
    await aborted(context.host.signal);
  } finally {
    await server.close();
  }
}

/** Starts the server that the flags describe; its request log goes to stderr. */
export async function startFromFlags(
  context: Context,
  options: LocalServerOptions,
  address: { readonly host: string; readonly port: number },
): Promise<LocalServer> {
  if ([options.delay, options.polls, options.manual].filter((value) => value !== undefined).length > 1) {
    throw new UsageError('--delay, --polls and --manual exclude each other: each says how long a report takes.');
  }
  if ((options.tlsCert === undefined) !== (options.tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key go together.', { hint: 'Give both, or neither for plain http.' });
  }
  const { startLocalServer } = await import('../../server/start.ts');
  const server = await startLocalServer(await serverOptions(context, options, address));
  if (!isLoopback(address.host)) {
    context.console.warn(
      `The server listens on ${address.host}: every machine that reaches this one can use it, admin calls included.`,
    );
  }
  return server;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

async function serverOptions(
  { console, host }: Context,
  options: LocalServerOptions,
  address: { readonly host: string; readonly port: number },
): Promise<ServerOptions> {
  const { fixtures, delay, polls, manual, rateLimit, lenient, tlsCert, tlsKey, fault } = options;
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? undefined
      : { cert: await readPem(host.cwd, tlsCert, '--tls-cert'), key: await readPem(host.cwd, tlsKey, '--tls-key') };
  return {
    ...address,
    seed: options.seed,
    scale: options.scale,
    tokenTtlMs: options.tokenTtl,
    reportTtlMs: options.reportTtl,
    restateDays: options.restate,
    ...(fixtures === undefined ? {} : { fixtures: resolve(host.cwd, fixtures) }),
    ...(delay === undefined ? {} : { delayMs: delay }),
    ...(polls === undefined ? {} : { polls }),
    ...(manual ? { manual } : {}),
    ...(rateLimit === undefined ? {} : { rateLimitPerSecond: rateLimit }),
    ...(lenient ? { lenient } : {}),
    ...(tls ? { tls } : {}),
    ...(fault ? { faults: fault } : {}),
    onNotice: console.note,
    onRequest: (request) => console.note(requestLine(request)),
  };
}

async function readPem(cwd: string, file: string, flag: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (cause) {
    throw new UsageError(`${flag}: ${file} could not be read (${codeOf(cause)}).`, { cause });
  }
}

async function announce({ console, flags }: Context, server: LocalServer): Promise<void> {
  if (flags.json) {
    const { url } = server;
    const accounts = server.accounts.map(({ name: _name, ...account }) => account);
    return console.result(JSON.stringify({ event: 'listening', url, pid: process.pid, accounts }));
  }
  await console.result(`adreport local-server listening on ${server.url}`);
  for (const { email, password, profile, admin, token } of server.accounts) {
    console.note(`  ${email}  password ${password}  token ${token}  (${profile}${admin ? ', admin' : ''})`);
  }
  console.note(`  Try: curl -H 'Authorization: ${server.accounts[0]?.token}' ${server.url}/campaigns`);
  console.note(`  Or open ${server.url}/ in a browser. Ctrl-C ends it.`);
}

/** `12:00:01 POST /status-reporting 200 1.2 ms 310 B buyer` */
function requestLine({ time, method, path, status, elapsedMs, sizeBytes, account, faults }: LoggedRequest): string {
  const struck = faults.length > 0 ? ` [${faults.join(', ')}]` : '';
  const answer = status === 0 ? 'cut' : status;
  return `${time.slice(11, 19)} ${method} ${path} ${answer} ${elapsedMs} ms ${sizeBytes} B ${account ?? '-'}${struck}`;
}

/** Resolves when the program is asked to end. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
