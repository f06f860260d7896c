import { describe, expect, test } from 'vitest';
import { clearFaults } from '../server/local.ts';
import { expectRefusal } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

// The number of orders, and the content of files, if reports fail.

/** Its days belong to three weeks. */
const october = 'run --period 2026-10-03..2026-10-18 --by DAILY,OS --metrics displays -o it.csv';

async function octoberOf(faults: readonly string[], flags = '') {
  const { run, calls } = await serveForTest({ faults, delayMs: 0 });
  const result = await run(`${october} ${flags}`);
  return { result, run, orders: () => calls('buyer') };
}

describe('a report that fails', () => {
  test.each([
    { fails: 'once', times: 1, orders: 2 },
    { fails: 'twice: three weeks', times: 2, orders: 5 },
    { fails: 'twice, as does one of the weeks', times: 3, orders: 6 },
  ])('$fails, is fetched with $orders orders', async ({ times, orders }) => {
    const whole = await octoberOf([]);
    const failing = await octoberOf([`status:failed:times=${times}`]);

    expect(failing.result).toMatchObject({ exitCode: 0, files: whole.result.files });
    expect(failing.orders()).toBe(orders);
    expect(failing.result.stderr).toContain('Requesting it again.');
    expect(failing.result.stderr.includes('as 3 shorter reports instead')).toBe(times > 1);
  });

  test('has no single id in --json after it was fetched in parts', async () => {
    const { result } = await octoberOf(['status:failed:times=2'], '--json');
    const { reportId, reportIds } = JSON.parse(result.stdout);
    expect(reportId).toBeNull();
    expect(reportIds).toHaveLength(3);
  });

  test('always fails: exit 6 after two orders of each part, and no file', async () => {
    const { result, orders } = await octoberOf(['status:failed']);
    expectRefusal(result, 6, /3 reports failed:\n.*2026-10-03\.\.2026-10-04/);
    expect(result.files).toEqual({});
    expect(orders()).toBe(8);
  });

  test('is not ordered in parts if the name of its file has the id', async () => {
    const { run, calls } = await serveForTest({ faults: ['status:failed'], delayMs: 0 });
    const result = await run(october.replace('it.csv', '{id}.csv'));
    expectRefusal(result, 6, /failed: The report could not be generated/);
    expect(calls('buyer')).toBe(2);
  });

  test('is ordered once with --retries 0', async () => {
    const { result, orders } = await octoberOf(['status:failed'], '--retries 0');
    expectRefusal(result, 6, /The report \w+ failed/);
    expect(orders()).toBe(1);
  });
});

test('the report to compare with is fetched in parts too', async () => {
  const { run, server, calls } = await serveForTest({ delayMs: 0 });
  const days = 'run --period 2026-10-05..2026-10-08 --by DAILY --metrics displays';
  const line = `${days} --format table --compare previous -o it.txt`;
  const whole = await run(line);
  expect(calls('buyer')).toBe(2);
  server.fault({
    endpoint: 'buyer',
    kind: 'failed',
    when: ({ body }) => {
      const [since, until] = [Number(body.since), Number(body.until)];
      return until - since > 2 * 86_400 && since < Date.UTC(2026, 9, 3) / 1_000;
    },
  });

  const first = await run(line);
  expect(first).toMatchObject({ exitCode: 0, files: whole.files });
  expect(first.stderr).toContain('Requesting it as 4 shorter reports instead.');
  expect(calls('buyer')).toBe(2 + 2 + 4 + 1);
});

test('of parts that nobody asked for, stdout has all or nothing', async () => {
  const { run, server } = await serveForTest({ delayMs: 0 });
  const line = 'run --period 2026-10-05..2026-10-08 --by DAILY --metrics displays --format csv';
  const whole = await run(line);
  const fails = (isBad: (since: number) => boolean) =>
    server.fault({
      endpoint: 'buyer',
      kind: 'failed',
      when: ({ body }) => {
        const since = Number(body.since);
        return Number(body.until) - since > 2 * 86_400 || isBad(since);
      },
    });

  fails((since) => since > Date.UTC(2026, 9, 6) / 1_000);
  expect(await run(line)).toMatchObject({ exitCode: 6, stdout: '' });

  await clearFaults(server);
  fails(() => false);
  expect(await run(line)).toMatchObject({ exitCode: 0, stdout: whole.stdout });
});

test('a report that is too large for the service (413) is fetched in parts', async () => {
  const whole = await octoberOf([]);
  const tooLarge = await octoberOf(['buyer:413:times=1']);
  expect(tooLarge.result).toMatchObject({ exitCode: 0, files: whole.result.files });
  expect(tooLarge.orders()).toBe(4);

  const alone = await octoberOf(['buyer:413:times=1'], '--retries 0');
  expect(alone.result.exitCode).toBe(4);
  expect(alone.result.stderr).toContain('Request a shorter period, or fewer breakdowns.');
});
