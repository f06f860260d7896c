import { expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { runCli } from '../support/run-cli.ts';

test('doctor --json shows the shape of an unreadable list of campaigns, without its values', async () => {
  const unreadable = { answer: { list: [{ label: 'Acme "summer"', number: 12 }] } };
  const { env } = await serve(({ headers }, response) => {
    json(response, unreadable, headers.authorization ? 200 : 401);
  });

  const result = await runCli('doctor --json', { env, now: Date.now() });

  expect(result.exitCode).toBe(9);

  const shape = '{"answer":{"list":[{"label":"…","number":12}]}}';
  const finding = expect.objectContaining({ message: expect.stringContaining(shape) });
  expect(JSON.parse(result.stdout)).toContainEqual(finding);
  expect(result.stdout).not.toMatch(/Acme|summer/);
  expect(result.stdout).not.toContain(env.ADREPORT_TOKEN);
});
