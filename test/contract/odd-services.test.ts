import { expect, test } from 'vitest';
import { endpointNames } from '../../src/contract/messages.ts';
import { tokens } from '../server/local.ts';
import { runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import {
  campaignServices,
  literalCsv,
  type OddService,
  runServices,
  signInServices,
} from './odd-services.ts';

const usualFlags = '--period yesterday --by DAILY --metrics displays --columns date,displays';

/** The usual command line, with the flags of a row instead of the usual ones. */
function lineOf({ flags = '' }: OddService): string {
  const words = usualFlags.split(' --').map((flag) => flag.replace('--', '').split(' '));
  const usual = words.filter(([name]) => !flags.includes(`--${name} `));
  return `run ${usual.map((flag) => `--${flag.join(' ')}`).join(' ')} ${flags} -o x.csv`;
}

/** Starts a service of a row, whose reports are ready at once unless the row says otherwise. */
async function serveOdd({ server: options, faults = [] }: OddService) {
  const { server, run, calls } = await serveForTest(options ?? { delayMs: 0 });
  for (const fault of faults) server.fault(fault);

  const credentials = { ADREPORT_EMAIL: 'buyer@example.com', ADREPORT_PASSWORD: 'demo' };
  const env = { ...credentials, ADREPORT_TOKEN: undefined };
  return { run: (line: string) => run(line, { env }), calls };
}

/** The output of the usual line without faults. */
let usualFile: string | undefined;

/** A call that ends the command is made once; a response that cannot be read is asked for again. */
function usualCallsOf({ exit = 0, faults, flags }: OddService): Readonly<Record<string, number>> {
  const [fault] = faults ?? [];
  if (!fault || exit === 0) return {};
  const isRetried = exit === 9 && fault.endpoint !== 'buyer' && flags !== '--retries 0';
  return { [fault.endpoint]: isRetried ? 6 : 1 };
}

/** Runs a command line against a service, and compares the result with its row. */
async function play(service: OddService, line: string) {
  const { run, calls } = await serveOdd(service);
  const { exit = 0, says = /^/ } = service;

  const result = await run(`${line} -v`);

  expect(result, result.stderr).toMatchObject({ exitCode: exit });
  expect(result.stderr).toMatch(says);
  const counts = Object.fromEntries(endpointNames.map((name) => [name, calls(name)]));
  expect(counts).toMatchObject(service.calls ?? usualCallsOf(service));
  // Tokens in answers are never printed, at any verbosity.
  expect(result.stdout + result.stderr).not.toMatch(/[0-9a-f]{40}/);
  return result;
}

test.each(Object.entries({ ...runServices, ...signInServices }))('%s', async (_name, service) => {
  const { files, exitCode } = await play(service, `${lineOf(service)} --strict`);

  if (exitCode !== 0) expect(files).toEqual({});
  else if (!service.flags) {
    usualFile ??= (await runCli(`run --local ${usualFlags} -o x.csv`)).files['x.csv'];
    expect([literalCsv, usualFile]).toContain(files['x.csv']);
  }
});

test.each(Object.entries(campaignServices))('%s', async (_name, service) => {
  const { stdout, exitCode } = await play(service, 'campaigns --ad-units --format csv');

  const [, row = ''] = stdout.split('\r\n');
  const [, , campaignId, campaignName, , , ...adUnit] = row.split(',');
  const cells = [campaignId, campaignName, ...adUnit].join();
  expect(cells).toBe(exitCode === 0 ? '12,A,3,u' : ',');
  expect(stdout).not.toContain(tokens.buyer);
});
