import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

/** The CI workflow runs only the commands of the README and the scripts of package.json. */

const root = resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly jobs: Readonly<
    Record<
      'linux' | 'windows' | 'macos',
      {
        readonly strategy?: { readonly matrix: { readonly node: number[] } };
        readonly steps: readonly Step[];
      }
    >
  >;
}

const { jobs }: Workflow = parse(read('.github/workflows/ci.yml'));
const [firstCommand = '', secondCommand = ''] = [
  ...read('README.md').matchAll(/```sh\n(npm ci && .*)\n```/g),
].map(([, line = '']) => line);
const commandsOf = (steps: readonly Step[]) => steps.flatMap(({ run }) => run ?? []);

test('on Linux it runs the two commands of the README and the check, on each Node that is tested', () => {
  const { steps, strategy } = jobs.linux;
  const [, versions = ''] =
    /^for version in ([\d. ]+); do\n {2}install_node/m.exec(read('.ci/run')) ?? [];
  const majors = versions.split(' ').map((version) => Number.parseInt(version, 10));

  expect(secondCommand).toBe('npm ci && npm test');
  expect(commandsOf(steps)).toEqual([firstCommand, secondCommand, 'npm run check']);
  expect(JSON.parse(read('package.json')).scripts).toHaveProperty('check');
  expect(majors).toHaveLength(4);
  expect(strategy?.matrix.node).toEqual(majors);
});

test('on Windows it runs the two commands of the README', () => {
  expect(commandsOf(jobs.windows.steps)).toEqual([firstCommand, secondCommand]);
});

test('on macOS it runs the tests', () => {
  expect(commandsOf(jobs.macos.steps)).toEqual([secondCommand]);
});
