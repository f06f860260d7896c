import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { call, startForTest } from '../server/local.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { type Scene, scenes } from './frozen/lines.ts';
import { fileStates, type Outcome, outcomeOfLine, outcomeOfResponse } from './frozen/outcome.ts';
import { type RawRequest, type RequestScene, requestScenes } from './frozen/requests.ts';

/**
 * What must not change: command lines and raw requests with the outcomes that the program had at
 * cfad295 (`recorded.ndjson`). Outcomes that the contract has changed since are in
 * `changed.ndjson`, with the sentence of the contract that asks for each.
 *
 * - A difference that the contract asks for:
 *   `FROZEN_BECAUSE='a sentence of the contract' FROZEN_ONLY='part of the line' npx vitest run …`
 *   moves it to `changed.ndjson`.
 * - New lines: `FROZEN_RECORD=1` in a checkout of cfad295 with these files.
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

/** The words of a line, with quotes around words with blanks. */
function wordsIn(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^ '"])+/g) ?? [];
  return words.map((word) => word.replaceAll(/["']/g, ''));
}

function putFiles(folder: string, files: Scene['files'] = {}): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

async function playScene(scene: Scene): Promise<void> {
  const service = await serveForTest(scene.server ?? { delayMs: 0 }, scene.account);
  const { url } = service.server;
  putFiles(service.cwd, scene.files);
  let now: number | undefined;
  let id = '';
  let fault = '';

  for (const line of scene.lines) {
    const [verb = '', path = '', text = ''] = wordsIn(line);
    if (verb === 'at') {
      now = Date.parse(path);
      await call({ url }, '/__admin/clock', { json: { now: path } });
      continue;
    }
    if (verb === 'fault') {
      fault = ` (${path})`;
      await call({ url }, '/__admin/faults', { method: 'DELETE' });
      await call({ url }, '/__admin/faults', { json: { fault: path } });
      continue;
    }
    if (verb === 'rm') {
      rmSync(join(service.cwd, path));
      continue;
    }
    if (verb === 'append') {
      appendFileSync(join(service.cwd, path), text);
      continue;
    }

    const cwd = scene.isStory ? service.cwd : temporaryFolder();
    if (!scene.isStory) putFiles(cwd, scene.files);
    const before = fileStates(cwd);
    const words = wordsIn(line).map((word) => word.replace('@id', id));
    const options = { cwd, env: scene.env, ...(now !== undefined && { now }) };
    const result = await service.run(words, options);
    id = /\b[0-9a-f]{32}\b/.exec(result.stdout)?.[0] ?? id;
    compare(`${scene.name}${fault}: ${line}`, await outcomeOfLine(line, result, before));
  }
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

test.for(scenes)('$name', async (scene) => playScene(scene));

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
