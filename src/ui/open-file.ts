import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Console } from './console.ts';

/**
 * Chooses the program that opens files, and its arguments before the path. `BROWSER` may name the
 * program. Otherwise, the system default is used.
 */
export function chooseOpener(
  platform: NodeJS.Platform,
  browser: string | undefined,
): { readonly command: string; readonly args: readonly string[] } {
  if (browser) return { command: browser, args: [] };
  if (platform === 'darwin') return { command: 'open', args: [] };
  // `cmd /c start` would run anything after an `&` in a file name.
  if (platform === 'win32')
    return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler'] };
  return { command: 'xdg-open', args: [] };
}

interface Desktop {
  readonly console: Console;
  readonly host: {
    readonly platform: NodeJS.Platform;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd: string;
  };
}

/** Opens files with the user's programs, without waiting for these to end. */
export function openForUser(
  { console, host }: Desktop,
  files: readonly { readonly name: string | undefined }[],
): void {
  const { command, args } = chooseOpener(host.platform, host.env.BROWSER);
  for (const { name } of files) {
    if (name === undefined) continue;
    const path = resolve(host.cwd, name);
    const child = spawn(command, [...args, path], { detached: true, stdio: 'ignore' });
    child.on('error', () => console.warn(`Cannot open ${name}: ${command} was not found.`));
    child.unref();
  }
}
