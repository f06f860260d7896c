import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import {
  type Answer,
  campaignVariants,
  expectedFile,
  runVariants,
  signInVariants,
  token,
  usual,
  type Variant,
} from './service-variants.ts';

/** A service that gives the answers of a variant, and knows nothing else; how often each path was asked. */
async function serveVariant({ answers }: Variant) {
  const calls: Record<string, number> = {};
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const given = answers[path] ?? usual[path] ?? { status: 404 };
    const inTurn: readonly Answer[] = Array.isArray(given) ? given : [given as Answer];
    const answer = inTurn[Math.min(calls[path] ?? 0, inTurn.length - 1)] ?? '';
    calls[path] = (calls[path] ?? 0) + 1;
    const {
      status = 200,
      headers = {},
      body = '',
    } = typeof answer === 'string' ? { body: answer } : answer;
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

async function play(
  variant: Variant,
  argv: readonly string[],
  signIn: Readonly<Record<string, string>>,
) {
  const { url, calls } = await serveVariant(variant);
  const result = await runCli([...argv, '-vv'], { env: { ADREPORT_BASE_URL: url, ...signIn } });
  expect(result).toMatchObject({ exitCode: variant.exitCode });
  if (variant.says) expect(result.stderr).toMatch(variant.says);
  expect(calls).toMatchObject(variant.calls ?? {});
  // Neither a token that was found nor one that was not, at any verbosity.
  expect(result.stdout + result.stderr).not.toContain(token);
  return result;
}

const run =
  'run --period yesterday --by DAILY --metrics displays --strict --columns date,displays -o x.csv'.split(
    ' ',
  );
const password = { ADREPORT_EMAIL: 'me@example.com', ADREPORT_PASSWORD: 'correct horse' };

test.each([
  ...runVariants.map((variant) => ({ ...variant, signIn: { ADREPORT_TOKEN: token } })),
  ...signInVariants.map((variant) => ({ ...variant, signIn: password })),
])('$name: exit $exitCode', async ({ signIn, ...variant }) => {
  const { files } = await play(variant, run, signIn);
  expect(files['x.csv']).toBe(variant.exitCode === 0 ? expectedFile : undefined);
});

test.each(campaignVariants)('$name: exit $exitCode', async (variant) => {
  const columns = 'campaignId,campaignName,adunitId,adunitName';
  const argv = ['campaigns', '--ad-units', '--format', 'csv', '--columns', columns];
  const { stdout } = await play(variant, argv, { ADREPORT_TOKEN: token });
  expect(stdout).toBe(variant.exitCode === 0 ? `${columns}\r\n12,A,3,u\r\n` : '');
});
