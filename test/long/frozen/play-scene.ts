import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { call } from '../../server/local.ts';
import { type CliResult, temporaryFolder } from '../../support/run-cli.ts';
import { serveForTest } from '../../support/service.ts';
import type { Scene } from './lines.ts';
import { fileStates } from './outcome.ts';

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

/** A line of a scene that has run, in a folder whose files were in the state `before`. */
interface PlayedLine {
  /** The line with its scene. */
  readonly key: string;
  readonly line: string;
  readonly result: CliResult;
  readonly before: ReadonlyMap<string, string>;

  /** Runs another line at the same service, in the same folder and at the same time. */
  run(words: readonly string[]): Promise<CliResult>;
}

/** Runs the lines of a scene at a service of its own. */
export async function playScene(
  scene: Scene,
  observe: (played: PlayedLine) => Promise<void>,
): Promise<void> {
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
    await observe({
      key: `${scene.name}${fault}: ${line}`,
      line,
      result,
      before,
      run: (others) => service.run(others, options),
    });
  }
}
