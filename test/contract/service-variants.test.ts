import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import {
  campaignVariants,
  expectedFile,
  runVariants,
  signInVariants,
  token,
  usualAnswers,
  type Variant,
} from './service-variants.ts';

/** A service that gives the answers of a variant, and the usual ones besides; it counts the calls of each path. */
async function serveVariant(variant: Variant) {
  const calls: Record<string, number> = {};

  const server = createServer((request, response) => {
    // The clocks of tests begin when each test says.
    response.sendDate = false;
    const path = request.url ?? '';
    const answers = variant.answers[path] ?? [usualAnswers[path] ?? { status: 404 }];
    const earlierCalls = calls[path] ?? 0;
    const answer = answers[earlierCalls] ?? answers.at(-1) ?? '';
    calls[path] = earlierCalls + 1;

    const whole = typeof answer === 'string' ? { body: answer } : answer;
    const { status = 200, headers = {}, body = '' } = whole;
    const isUsual = variant.answers[path] === undefined;
    const sent: Buffer[] = [];
    request.on('data', (piece: Buffer) => sent.push(piece));
    request.on('end', () => {
      const [, id] = /"id":"([^"]+)"/.exec(Buffer.concat(sent).toString()) ?? [];
      // The usual answer to the question for a status tells the id that it was asked with.
      const text = isUsual && id !== undefined ? String(body).replace('"r1"', `"${id}"`) : body;
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    });
  });

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());

  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, calls };
}

/** Runs a command line against a variant, and holds it to what the variant must lead to. */
async function play(variant: Variant, line: string, signIn: Readonly<Record<string, string>>) {
  const { url, calls } = await serveVariant(variant);

  const result = await runCli(`${line} -vv`, { env: { ADREPORT_BASE_URL: url, ...signIn } });

  expect(result).toMatchObject({ exitCode: variant.exitCode });
  if (variant.says) expect(result.stderr).toMatch(variant.says);
  expect(calls).toMatchObject(variant.calls ?? {});
  // No token is printed, wherever in an answer it stood, at any verbosity.
  expect(result.stdout + result.stderr).not.toContain(token);
  return result;
}

const reportFlags = '--period yesterday --by DAILY --metrics displays --columns date,displays';
const runLine = `run ${reportFlags} --strict -o x.csv`;
const withToken = { ADREPORT_TOKEN: token };
const withPassword = { ADREPORT_EMAIL: 'me@example.com', ADREPORT_PASSWORD: 'correct horse' };

async function playRun(variant: Variant, signIn: Readonly<Record<string, string>>): Promise<void> {
  const { files } = await play(variant, runLine, signIn);

  expect(files['x.csv']).toBe(variant.exitCode === 0 ? expectedFile : undefined);
}

test.each(runVariants)('$name: exit $exitCode', (variant) => playRun(variant, withToken));

test.each(signInVariants)('$name: exit $exitCode', (variant) => playRun(variant, withPassword));

test.each(campaignVariants)('$name: exit $exitCode', async (variant) => {
  const columns = 'campaignId,campaignName,adunitId,adunitName';
  const line = `campaigns --ad-units --format csv --columns ${columns}`;

  const { stdout } = await play(variant, line, withToken);

  expect(stdout).toBe(variant.exitCode === 0 ? `${columns}\r\n12,A,3,u\r\n` : '');
});
