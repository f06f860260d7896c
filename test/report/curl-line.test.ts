import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { ReportRequest } from '../../src/contract/messages.ts';
import { curlLine, encodeRequest } from '../../src/report/request/request-body.ts';

const request: ReportRequest = {
  since: 1_417_392_000,
  until: 1_420_070_399,
  metrics: ['displays'],
  breakdowns: ['DAILY'],
  filters: {},
};

const folder = mkdtempSync(join(tmpdir(), 'adreport-curl-'));
writeFileSync(join(folder, 'curl'), '#!/bin/sh\nprintf "%s\\0" "$@"\n', { mode: 0o755 });
afterAll(() => rmSync(folder, { recursive: true }));

/** What curl is given when the line runs in a shell. */
function argumentsOf(line: string): string[] {
  const env = { PATH: `${folder}:${process.env.PATH}`, ADREPORT_TOKEN: 'the token' };
  const { stdout, status } = spawnSync('sh', ['-c', line], { env, encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout.split('\0').slice(0, -1);
}

test('reads as a person would write it', () => {
  expect(curlLine({ baseUrl: 'https://reports.example.com/v1/', request, encoding: 'form' })).toBe(
    `curl 'https://reports.example.com/v1/buyer-reporting' -H "Authorization: $ADREPORT_TOKEN" ` +
      `-H 'Accept: application/json' -H 'Content-Type: application/x-www-form-urlencoded' ` +
      `--data-raw 'since=1417392000&until=1420070399&metrics=displays&breakdowns[0]=DAILY'`,
  );
});

test.skipIf(process.platform === 'win32')('runs as printed, whatever stands in a filter', () => {
  const awkward = fc.constantFrom("it's", '$HOME `id` $(id) !!', '\\', '"', 'a\nb', '@file', '😀');
  const text = fc.oneof(awkward, fc.string({ unit: 'grapheme', minLength: 1 }));
  fc.assert(
    fc.property(text, fc.constantFrom('json', 'form'), (carrier, encoding) => {
      const withText = { ...request, filters: { carrier: [carrier] } };
      const { contentType, text: body } = encodeRequest(withText, encoding);
      expect(argumentsOf(curlLine({ baseUrl: 'http://127.0.0.1:8787', request: withText, encoding }))).toEqual([
        'http://127.0.0.1:8787/buyer-reporting',
        '-H',
        'Authorization: the token',
        '-H',
        'Accept: application/json',
        '-H',
        `Content-Type: ${contentType}`,
        '--data-raw',
        body,
      ]);
    }),
    { numRuns: 60 },
  );
});
