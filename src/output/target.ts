import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { expandName, listPlaceholders, type NameValues } from '../query/file-name.ts';
import type { FileHost } from '../text/file-in-use.ts';
import type { Sink } from './encoder.ts';
import { pathKey, requireValidOnWindows } from './file/file-name.ts';
import { checkTarget, type OutputFile, openOutput, openStdout } from './file/output-file.ts';

/** A file or stdout, as specified by `-o`. */
export interface Target {
  /** Returns the file name with its placeholders replaced, or `undefined` for stdout. */
  name(reportId?: string): string | undefined;

  /** Opens the output, once per attempt to download. Throws `OutputError`. */
  open(reportId?: string): Promise<OutputFile>;
}

interface TargetContext {
  readonly host: FileHost & { readonly cwd: string };
  readonly stdout: Sink;
}

interface TargetOptions {
  /** Value of `-o`. */
  readonly path: string;

  /** Values for the placeholders of the path. */
  readonly names: NameValues;

  /** Whether an existing file may be replaced. */
  readonly clobber?: boolean | undefined;

  /** Whether to compute the hash of the file. */
  readonly computeHash?: boolean;
}

/**
 * Prepares a target and checks it. Throws `UsageError` if Windows does not accept the path. Throws
 * `OutputError` if the target cannot be written, or if `--no-clobber` keeps an existing file.
 */
export async function openTarget(
  { host, stdout }: TargetContext,
  { path: template, names, clobber, computeHash = false }: TargetOptions,
): Promise<Target> {
  if (template === '-') return { name: () => undefined, open: () => openStdout(stdout) };

  const name = (id?: string) => expandName(template, id === undefined ? names : { ...names, id });
  const path = (id?: string) => {
    requireValidOnWindows(name(id), host.platform);
    return resolve(host.cwd, name(id));
  };
  const fileOptions = { host, noClobber: !clobber, computeHash };
  if (!listPlaceholders(template).includes('id')) await checkTarget(path(), fileOptions);
  return { name, open: (id) => openOutput(path(id), fileOptions) };
}

const stdoutNames = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

/** Returns the same key for all names of a file, or of stdout. */
export function targetKey(name: string, cwd: string): string {
  return stdoutNames.includes(name) ? '-' : pathKey(resolve(cwd, name));
}

/** Throws `UsageError` if two targets are the same, such as `a.csv` and `./a.csv`. */
export function requireDistinctTargets(targets: readonly Target[], cwd: string): void {
  const keys = new Set<string>();
  for (const target of targets) {
    const name = target.name('{id}') ?? '-';
    const key = targetKey(name, cwd);
    if (keys.has(key)) {
      throw new UsageError(`-o ${name} is given twice.`, {
        about: { flag: '--output' },
        hint: 'Use a different name for each file.',
      });
    }
    keys.add(key);
  }
}
