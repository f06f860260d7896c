import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { call, startForTest } from '../server/local.ts';
import { scenes } from './frozen/lines.ts';
import { type Outcome, outcomeOfLine, outcomeOfResponse } from './frozen/outcome.ts';
import { playScene } from './frozen/play-scene.ts';
import { type RawRequest, type RequestScene, requestScenes } from './frozen/requests.ts';

/**
 * What must not change: command lines and raw requests with the outcomes that the program had at
 * 516f434a (`recorded.ndjson`). Outcomes that the contract has changed since are in
 * `changed.ndjson`, with the sentence of the contract that asks for each.
 *
 * - A difference that the contract asks for:
 *   `FROZEN_BECAUSE='a sentence of the contract' FROZEN_ONLY='part of the line' npx vitest run …`
 *   moves it to `changed.ndjson`.
 * - New lines: `FROZEN_RECORD=1` in a checkout of 516f434a with these files.
 * - `FROZEN_TEXTS=folder` writes long contents to files named by their hashes.
 */

const place = resolve(import.meta.dirname, 'frozen');
const specification = resolve(import.meta.dirname, '../contract/spec');

/** A line with its outcome; in `changed.ndjson` also the sentence that asks for it. */
interface Entry {
  readonly line: string;
  readonly outcome: Outcome;
  readonly because?: string;
}

function readEntries(name: string): Map<string, Entry> {
  const lines = readFileSync(join(place, name), 'utf8').trim().split('\n');
  const entries = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry);
  return new Map(entries.map((entry) => [entry.line, entry]));
}

function writeEntries(name: string, entries: Iterable<Entry>): void {
  const lines = [...entries].map((entry) => `${JSON.stringify(entry)}\n`);
  writeFileSync(join(place, name), lines.join(''));
}

const recorded = readEntries('recorded.ndjson');
const changed = readEntries('changed.ndjson');
const current = new Map<string, Entry>();

const { FROZEN_RECORD: isRecording, FROZEN_BECAUSE: because, FROZEN_ONLY: only = '' } = process.env;

function expectedOutcome(line: string): Outcome | undefined {
  return (changed.get(line) ?? recorded.get(line))?.outcome;
}

afterAll(() => {
  if (isRecording) writeEntries('recorded.ndjson', current.values());
  if (!because) return;

  for (const [line, { outcome }] of current) {
    const isSame = JSON.stringify(outcome) === JSON.stringify(expectedOutcome(line));
    if (!isSame && line.includes(only)) changed.set(line, { line, because, outcome });
  }
  writeEntries('changed.ndjson', changed.values());
});

/** Notes what a line did, and expects what it did before. */
function compare(key: string, outcome: Outcome): void {
  let line = key;
  for (let n = 2; current.has(line); n++) line = `${key} #${n}`;
  current.set(line, { line, outcome });
  if (isRecording || because) return;
  expect.soft(outcome, line).toEqual(expectedOutcome(line));
}

/** A request as the list names it. */
function labelOf({ send, ...sent }: RawRequest): string {
  const label = `${send} ${JSON.stringify(sent)}`;
  return label.length > 300 ? `${label.slice(0, 300)}…` : label;
}

async function playRequests(scene: RequestScene): Promise<void> {
  const server = await startForTest(scene.server);
  let id = '';

  for (const request of scene.requests) {
    const filled = JSON.parse(JSON.stringify(request).replaceAll('@id', id)) as RawRequest;
    const { send, ...sent } = filled;
    const [method = '', path = ''] = send.split(' ');
    const answer = await call(server, path, { ...sent, method });
    if (send === 'POST /buyer-reporting') {
      id = /"report_id":"([^"]+)"/.exec(answer.text)?.[1] ?? id;
    }
    compare(`${scene.name}: ${labelOf(request)}`, outcomeOfResponse(answer));
  }
}

test.for(scenes)('$name', async (scene) => {
  await playScene(scene, async ({ key, line, result, before }) => {
    compare(key, await outcomeOfLine(line, result, before));
  });
});

test.for(requestScenes)('raw requests: $name', async (scene) => playRequests(scene));

test('a sentence of the contract asks for each change', () => {
  const plain = (text: string) => text.replaceAll(/[\s▲]+/g, ' ');
  const pages = ['cli.md', 'decisions.md'].map((name) =>
    readFileSync(join(specification, name), 'utf8'),
  );
  const contract = plain(pages.join('\n'));

  const isFounded = ({ because }: Entry) => because && contract.includes(plain(because));
  expect([...changed.values()].filter((entry) => !isFounded(entry))).toEqual([]);
});

test('every recorded line is still in the list', () => {
  const known = [...recorded.keys(), ...changed.keys()];
  expect(known.filter((line) => !current.has(line))).toEqual([]);
});
