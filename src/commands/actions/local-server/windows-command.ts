import { existsSync } from 'node:fs';
import { win32 } from 'node:path';

/** A command as `spawn` takes it. */
export interface SpawnCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The arguments are one text in the quoting of cmd.exe, to be passed on as it is. */
  readonly windowsVerbatimArguments?: true;
}

/** What finding a program on Windows takes from the machine. */
interface Machine {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly exists?: (file: string) => boolean;
}

const endings = ['.com', '.exe', '.bat', '.cmd'];

/**
 * A command in the form in which Windows can start it. `npm` and whatever npm installs are scripts there (`npm.cmd`),
 * which only cmd.exe runs, and cmd.exe reads its own signs in their arguments. Everything else stays as it is.
 */
export function windowsCommand(
  program: string,
  args: readonly string[],
  { cwd, env, exists = existsSync }: Machine,
): SpawnCommand {
  const hasEnding = endings.includes(win32.extname(program).toLowerCase());
  const names = hasEnding ? [program] : endings.map((ending) => program + ending);
  // Windows calls it Path, and takes any case.
  const [, path = ''] = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH') ?? [];
  const folders = /[\\/:]/.test(program) ? [cwd] : [cwd, ...path.split(win32.delimiter).filter((folder) => folder)];
  const files = folders.flatMap((folder) => names.map((name) => win32.resolve(folder, name)));
  const found = files.find(exists);
  if (found === undefined || !/\.(bat|cmd)$/i.test(found)) return { program, args };
  const line = [escapeSigns(found), ...args.map((arg) => escapeSigns(quote(arg)))].join(' ');
  return { program: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], windowsVerbatimArguments: true };
}

/** An argument as programs of Windows take their command line apart: backslashes double before a quote alone. */
function quote(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

function escapeSigns(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
}
