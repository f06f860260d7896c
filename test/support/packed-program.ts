import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The package as `npm publish` would send it. */
export interface PackedProgram {
  readonly tarball: string;
  /** Sizes in bytes of what it holds, by path. */
  readonly files: Readonly<Record<string, number>>;
  /** Runs npm, without network and with nothing in its cache; its output. Throws where npm fails. */
  npm(args: readonly string[], cwd: string): string;
  remove(): void;
}

const root = resolve(import.meta.dirname, '../..');
const notCopied = new Set(['node_modules', 'dist', 'coverage', '.git'].map((name) => join(root, name)));

/**
 * Packs the program, in a copy: packing builds, and other tests run what is built here.
 * Nothing of the settings under which the tests themselves were started gets through to npm.
 */
export function packProgram(): PackedProgram {
  const folder = mkdtempSync(join(tmpdir(), 'adreport-packed-'));
  const copy = join(folder, 'copy');
  const home = join(folder, 'home');
  mkdirSync(home);
  cpSync(root, copy, { recursive: true, filter: (path) => !notCopied.has(path) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');

  const npm = (args: readonly string[], cwd: string): string =>
    execFileSync('npm', [...args, '--offline', '--cache', join(folder, 'cache')], {
      cwd,
      env: { PATH: process.env.PATH, HOME: home },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
  const [packed] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], copy));
  const files: [string, number][] = packed.files.map(({ path, size }: { path: string; size: number }) => [path, size]);
  return {
    tarball: join(folder, packed.filename),
    files: Object.fromEntries(files),
    npm,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a program of Node to its end, in an environment that has nothing of this one but the path. */
export function runNode(node: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(node, args, {
    cwd,
    env: { PATH: process.env.PATH, ADREPORT_CONFIG_DIR: join(cwd, '.config'), ...env },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return { status, stdout, stderr };
}
