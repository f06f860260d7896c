import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { splitUnits } from '../../src/report/window.ts';
import { startLocalServer } from '../../src/server/start.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

/** Zones with offsets of a half and of three quarters of an hour, with changes at midnight, and with none. */
const zones = [
  'Europe/Paris',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Asia/Beirut',
  'Pacific/Apia',
  'UTC',
];

test('merged output is the unsplit report, byte for byte, in any zone and any year', async () => {
  const server = await startLocalServer({ delayMs: 0, clock: () => Date.UTC(2041, 0, 1) });
  onTestFinished(() => server.close());
  const dsp = server.accounts.find(({ name }) => name === 'dsp');
  const env = { ADREPORT_BASE_URL: server.url, ADREPORT_TOKEN: dsp?.token, ADREPORT_PROFILE: 'dsp' };
  const cwd = temporaryFolder();
  const report = fc.record({
    zone: fc.constantFrom(...zones),
    since: fc.integer({ min: 946_684_800, max: 2_208_988_799 }),
    days: fc.integer({ min: 0, max: 20 }),
    split: fc.constantFrom(...splitUnits),
    by: fc.constantFrom('DAILY', 'HOURLY', 'DAILY,FORMAT'),
    format: fc.constantFrom('json', 'csv'),
  });
  await fc.assert(
    fc.asyncProperty(report, async ({ zone, since, days, split, by, format }) => {
      const argv = ['run', '--since', String(since), '--until', String(since + days * 86_400), '--timezone', zone];
      const flags = [...argv, '--by', by, '--format', format, '--fresh'];
      const whole = await runCli(flags, { cwd, env });
      const merged = await runCli([...flags, '--split', split], { cwd, env });
      expect(merged.exitCode).toBe(0);
      expect(merged.stdout).toBe(whole.stdout);
    }),
    { numRuns: 12 },
  );
});
