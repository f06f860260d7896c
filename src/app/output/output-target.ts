import { resolve } from 'node:path';
import type { OutputFlags } from '../../commands/flags.ts';
import type { Context } from '../../context.ts';
import type { Sink } from '../../output/encoder.ts';
import type { NameValues } from '../../output/file/file-name.ts';

/** One try at writing a report: committed when it is whole, aborted otherwise. */
interface OutputTry extends Sink {
  commit(): Promise<void>;
  abort(): Promise<void>;
}

/** Where a report goes: a file that is whole or not there, or stdout. */
export interface OutputTarget {
  /** The file as the user named it, placeholders filled; `undefined` for stdout. */
  name(reportId?: string): string | undefined;
  /** Begins the output from its first byte; called again when a download starts again. */
  open(reportId?: string): Promise<OutputTry>;
}

/**
 * The target that `-o` names. Throws `UsageError` for a placeholder that is not known, and `OutputError`, before
 * anything is fetched, for a file that cannot be written or that `--no-clobber` keeps.
 */
export async function openTarget(context: Context, flags: OutputFlags, values: NameValues): Promise<OutputTarget> {
  const template = flags.output;
  if (template === undefined || template === '-') return stdoutTarget(context);
  const [{ checkTarget, openOutput }, { expandName, placeholdersOf }] = await Promise.all([
    import('../../output/file/output-file.ts'),
    import('../../output/file/file-name.ts'),
  ]);
  const options = { noClobber: !flags.clobber };
  const name = (id?: string): string => expandName(template, id === undefined ? values : { ...values, id });
  const path = (id?: string): string => resolve(context.host.cwd, name(id));
  if (!placeholdersOf(template).includes('id')) await checkTarget(path(), options);
  return { name, open: (id) => openOutput(path(id), options) };
}

async function stdoutTarget({ console }: Context): Promise<OutputTarget> {
  const { ReplaySink } = await import('../../output/file/replay-sink.ts');
  const sink = new ReplaySink(console);
  return {
    name: () => undefined,
    async open() {
      sink.restart();
      return { write: (bytes) => sink.write(bytes), commit: async () => sink.finish(), abort: async () => {} };
    },
  };
}
