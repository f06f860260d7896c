import { expect, test } from 'vitest';
import { scenes } from './frozen/lines.ts';
import { playScene, wordsIn } from './frozen/play-scene.ts';

// The commands in the hints of errors are pasted and run: in the folder, at the service and at the
// time of the command that failed.

/** The hint of an error. */
function hintIn(stderr: string): string {
  const json = /^\{"error":.*$/m.exec(stderr)?.[0];
  if (json !== undefined) return JSON.parse(json).error.hint ?? '';
  return /^adreport: .*((?:\n {2,}.*)+)/m.exec(stderr)?.[1] ?? '';
}

/** Where a command in a sentence ends. */
const end = /(?<=\S)[.,;:)]+(?=\s|$)|\s(?=or |and |shows |lists |with |to |has |in |\()/;

/** Hints with a step before their command: `Remove --compare, and compare the files: …`. */
const hasStepBefore = /^Remove --compare/;

/** The commands in a hint, without forms (`Usage: …`) and names (`adreport view reads …`). */
function commandsIn(hint: string): string[] {
  const texts = hint.split('\n').flatMap((line) => line.split(/(?=\badreport [a-z])/).slice(1));
  const commands = texts.filter((text) => !/^adreport [\w -]+ (reads|writes|\[flags\])/.test(text));
  return commands.map((text) => (text.split(end)[0] ?? '').trim());
}

test.for(scenes)('$name', { timeout: 240_000 }, async (scene) => {
  const done = new Set<string>();

  await playScene(scene, async ({ line, result, run }) => {
    if (result.exitCode === 0) return;

    const hint = hintIn(result.stderr);
    for (const command of hasStepBefore.test(hint) ? [] : commandsIn(hint)) {
      if (done.has(command)) continue;
      done.add(command);
      const { exitCode, stderr } = await run(wordsIn(command).slice(1));
      const needsPerson = stderr.includes('there is no terminal');
      const isUseful = needsPerson || ![1, 2].includes(exitCode);
      expect.soft({ line, command, isUseful, stderr: isUseful ? '' : stderr }).toMatchObject({
        command: expect.not.stringContaining('…'),
        isUseful: true,
      });
    }
  });
  if (scene.name === 'mistakes') expect(done.size).toBeGreaterThan(0);
});
