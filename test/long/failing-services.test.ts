import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  expectWholeOrNothing,
  failingServices,
  healthyService,
  october,
} from '../support/failing-service.ts';

const cases = 200;

test(`${cases} services that fail: the complete report or nothing, with bounded orders`, async () => {
  const seen = new Map<number, number>();

  await fc.assert(
    fc.asyncProperty(failingServices, async (failing) => {
      for (const { exitCode } of await expectWholeOrNothing(failing)) {
        seen.set(exitCode, (seen.get(exitCode) ?? 0) + 1);
      }
    }),
    { numRuns: cases },
  );

  console.log(
    `Runs by exit code: ${[...seen].map(([code, runs]) => `${code}: ${runs}`).join(', ')}`,
  );
  expect([...seen.keys()].sort()).toEqual([0, 4, 6, 7]);
}, 3_600_000);

test('orders for a month by day, of a service that fails by a chance of 0.2, with 50 seeds', async () => {
  const all: number[] = [];
  let completed = 0;

  for (let seed = 1; seed <= 50; seed += 1) {
    const service = { ...healthyService, failsBy: 0.2, seed };
    for (const { orders, exitCode } of await expectWholeOrNothing([service, october])) {
      all.push(orders);
      if (exitCode === 0) completed += 1;
    }
  }

  const mean = all.reduce((sum, orders) => sum + orders, 0) / all.length;
  console.log(`Orders: ${mean.toFixed(2)} on average, ${Math.max(...all)} at most;`);
  console.log(`${completed} of ${all.length} runs completed.`);
  expect(mean).toBeLessThan(2);
  expect(completed).toBeGreaterThan(45);
});
