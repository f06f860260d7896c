import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { WrittenFile } from '../output/written-file.ts';
import type { Context } from './context.ts';

/**
 * Returns the program that opens files, with the arguments that precede the path: the one named by
 * `BROWSER`, otherwise the system's default opener.
 */
export function chooseOpener(
  platform: NodeJS.Platform,
  browser: string | undefined,
): { readonly command: string; readonly args: readonly string[] } {
  if (browser) return { command: browser, args: [] };
  if (platform === 'darwin') return { command: 'open', args: [] };
  // Not `cmd /c start`, which would run anything after an `&` in a file name.
  if (platform === 'win32')
    return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler'] };
  return { command: 'xdg-open', args: [] };
}

/** Opens files with the user's programs. Does not wait for them to be closed. */
export function openForUser(
  tools: Pick<Context, 'host' | 'console'>,
  files: readonly WrittenFile[],
): void {
  for (const { name } of files) {
    if (name !== undefined) openFile(tools, name);
  }
}

function openFile({ host, console }: Pick<Context, 'host' | 'console'>, file: string): void {
  const { command, args } = chooseOpener(host.platform, host.env.BROWSER);
  const child = spawn(command, [...args, resolve(host.cwd, file)], {
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => console.warn(`Cannot open ${file}: ${command} was not found.`));
  child.unref();
}
