import { describe, expect, test } from 'vitest';
import { knownOutcomeOf } from '../../src/contract/messages.ts';
import { json, serve } from '../support/http-server.ts';
import { runCli } from '../support/run-cli.ts';

// Words of state as services write them, and what each means (`decisions.md` 3).

const readyWords = [
  ...['ready', 'Ready.', 'READY_FOR_DOWNLOAD', 'report_ready', 'Report ready', 'available'],
  ...['GENERATED_AND_AVAILABLE', 'available!', 'done', 'Completed', 'COMPLETE', 'success'],
  ...['finished', ' OK '],
];
const failedWords = ['failed', 'FAILURE', 'error', 'Expired.', 'cancelled', 'canceled'];
const progressWords = ['progress', 'in_progress', 'In progress'];

/** None of them ends a wait, and each is noted. */
const unknownWords = [
  ...[
    'UNAVAILABLE',
    'NO_LONGER_AVAILABLE',
    'already',
    'not_ready',
    'NOT YET READY',
    'un-available',
  ],
  ...['queued', 'no report available', 'readying', 'report ready soon', 'denied', 'okay', '…'],
];

test.each([
  { words: readyWords, outcome: 'ready' },
  { words: failedWords, outcome: 'failed' },
  { words: progressWords, outcome: 'progress' },
  { words: unknownWords, outcome: undefined },
])('$words: $outcome', ({ words, outcome }) => {
  expect(words.map((word) => [word, knownOutcomeOf(word)])).toEqual(
    words.map((word) => [word, outcome]),
  );
});

/** Waits for a report of a service with this answer to the status call. */
async function statusOf(answer: unknown) {
  const { env } = await serve((_request, response) => json(response, answer));
  return runCli('status r1', { env });
}

describe('the OK of an envelope is not the status of the report if another member has it', () => {
  test.each([
    { answer: { response: { status: 'OK', state: 'progress' } }, word: 'progress' },
    { answer: { response: { status: 'OK', data: { status: 'queued' } } }, word: 'queued' },
    { answer: { status: 'OK', report: { status: 'ready' } }, word: 'ready' },
    { answer: { response: { status: 'OK', message: 'progress' } }, word: 'progress' },
    { answer: { response: { status: 'OK', report_status: 'READY' } }, word: 'ready' },
    { answer: { response: { status: 'OK', message: 'Request handled' } }, word: 'ok' },
    { answer: { response: { status: 'OK', message: 'OK' } }, word: 'ok' },
  ])('$answer: $word', async ({ answer, word }) => {
    expect(await statusOf(answer)).toMatchObject({ exitCode: 0, stdout: `${word}\n` });
  });
});

test('an unknown status is noted once, and suggests trying the download', async () => {
  const statuses = ['baking', 'baking', 'baking', 'ready'];
  const { env, received } = await serve((request, response) => {
    const status = request.path === '/status-reporting' ? statuses.shift() : 'new';
    json(response, { response: { status, message: '', report_id: 'r1' } });
  });
  const line = 'status r1 --wait --progress none';

  const { exitCode, stdout, stderr } = await runCli(line, { env });

  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'ready\n' });
  expect(stderr.match(/Note: .*“baking”.*try: adreport download r1/g)).toHaveLength(1);
  expect(received).toHaveLength(4);
  statuses.push('baking', 'ready');
  expect((await runCli(`${line} -q`, { env })).stderr).toBe('');
});
