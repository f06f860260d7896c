import { expect, test } from 'vitest';
import { knownOutcomeOf } from '../../src/contract/messages.ts';
import { json, serve } from '../support/http-server.ts';
import { runCli } from '../support/run-cli.ts';

// Words of state as services write them, and what each means (`decisions.md` 3).

const readyWords = ['ready', 'DONE', 'Completed', 'complete', 'success', 'finished'];
const failedWords = [
  ...['failed', 'FAILURE', 'error', 'Expired', 'cancelled', 'canceled'],
  ...['fatal', 'aborted', 'Rejected'],
];
const progressWords = ['progress', 'queued', 'Pending', 'RUNNING', 'processing'];

/** None of them ends a wait, and each is noted. */
const unknownWords = [
  ...['available', 'READY_FOR_DOWNLOAD', 'Ready.', 'OK', 'in_progress', 'not_ready'],
  ...['NOT YET READY', 'denied', '…'],
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

test('an unknown status is noted once, and suggests trying the download', async () => {
  const statuses = ['baking', 'baking', 'baking', 'ready'];
  const { env, received } = await serve((request, response) => {
    const status = request.path === '/status-reporting' ? statuses.shift() : 'new';
    json(response, { response: { status, message: '', report_id: 'r1' } });
  });
  const line = 'status r1 --wait';

  const { exitCode, stdout, stderr } = await runCli(line, { env });

  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'ready\n' });
  expect(stderr.match(/Note: .*“baking”.*try: adreport download r1/g)).toHaveLength(1);
  expect(received).toHaveLength(4);
  statuses.push('baking', 'ready');
  expect((await runCli(`${line} -q`, { env })).stderr).toBe('');
});
