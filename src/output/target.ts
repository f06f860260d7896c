import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { expandName, listPlaceholders, type NameValues } from '../query/file-name.ts';
import type { FileHost } from '../text/file-in-use.ts';
import type { Sink } from './encoder.ts';
import { pathKey, requireValidOnWindows } from './file/file-name.ts';
import { checkTarget, type OutputFile, openOutput, openStdout } from './file/output-file.ts';

/** The target of an `-o`: a file or stdout. */
export interface Target {
  /** File name as given by the user; `undefined` for stdout. */
  name(reportId?: string): string | undefined;

  /** Starts the output. Called once for each attempt to download. Throws `OutputError`. */
  open(reportId?: string): Promise<OutputFile>;
}

interface Surroundings {
  readonly host: FileHost & { readonly cwd: string };
  readonly stdout: Sink;
}

interface TargetOptions {
  /** Value of `-o`. */
  readonly path: string;

  /** Values for the placeholders of the path. */
  readonly names: NameValues;

  /** False if an existing file must be kept. */
  readonly clobber?: boolean | undefined;

  /** Computes the hash of the file. */
  readonly hashes?: boolean;
}

/**
 * Checks a file or stdout. Throws `UsageError`. Throws `OutputError` if the target cannot be
 * written, or if `--no-clobber` keeps an existing file.
 */
export async function openTarget(
  { host, stdout }: Surroundings,
  { path: template, names, clobber, hashes = false }: TargetOptions,
): Promise<Target> {
  if (template === '-') return { name: () => undefined, open: () => openStdout(stdout) };

  const name = (id?: string) => expandName(template, id === undefined ? names : { ...names, id });
  const path = (id?: string) => {
    requireValidOnWindows(name(id), host.platform);
    return resolve(host.cwd, name(id));
  };
  const fileOptions = { host, noClobber: !clobber, hashes };
  if (!listPlaceholders(template).includes('id')) await checkTarget(path(), fileOptions);
  return { name, open: (id) => openOutput(path(id), fileOptions) };
}

const stdoutNames = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

/** Returns the same key for all names of a file, or of stdout. */
export function placeKey(name: string, cwd: string): string {
  return stdoutNames.includes(name) ? '-' : pathKey(resolve(cwd, name));
}

/** Throws `UsageError` if two names mean the same target, such as `a.csv` and `./a.csv`. */
export function requireDistinctTargets(targets: readonly Target[], cwd: string): void {
  const keys = new Set<string>();
  for (const target of targets) {
    const name = target.name('{id}') ?? '-';
    const key = placeKey(name, cwd);
    if (keys.has(key)) {
      throw new UsageError(`-o ${name} is given twice.`, {
        about: { flag: '--output' },
        hint: 'Use a different name for each file.',
      });
    }
    keys.add(key);
  }
}
