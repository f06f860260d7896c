import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface BrowserSearch {
  readonly env: Environment;

  /** Folder to which a path in `ADREPORT_BROWSER` is relative. */
  readonly cwd: string;

  readonly platform: NodeJS.Platform;

  readonly isProgram: (path: string) => boolean;
}

/** Names of browsers on the search path of Linux. */
const programNames = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'microsoft-edge',
  'microsoft-edge-stable',
];

/** Paths on Linux that may be outside the search path, for example under cron. */
const linuxPaths = [
  '/opt/google/chrome/chrome',
  '/opt/microsoft/msedge/msedge',
  '/usr/local/bin/chromium',
  '/snap/bin/chromium',
];

const macPaths = [
  'Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'Applications/Chromium.app/Contents/MacOS/Chromium',
  'Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

const windowsPaths = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];

/** Environment variables with the program folders of Windows. */
const windowsFolders = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'];

const pageHint = 'Or write a page with -o report.html and print it from any browser.';

/**
 * Finds the browser that `ADREPORT_BROWSER` names, otherwise an installed Chrome, Chromium or Edge.
 * Throws `UsageError` if there is none.
 */
export function findBrowser(search: BrowserSearch): string {
  const nameOrPath = search.env.ADREPORT_BROWSER;
  if (nameOrPath) return findNamedBrowser(nameOrPath, search);

  const browser = listDefaultPaths(search).find(search.isProgram);
  if (browser !== undefined) return browser;

  throw new UsageError('Cannot print a PDF: no browser was found.', {
    code: 'NO_BROWSER',
    hint: `Install Chrome, Chromium or Edge, or set ADREPORT_BROWSER to the path of one. ${pageHint}`,
  });
}

/** Finds a browser by its path, or by its name on the search path. */
function findNamedBrowser(
  nameOrPath: string,
  { env, cwd, platform, isProgram }: BrowserSearch,
): string {
  const isPath = /[\\/]/.test(nameOrPath);
  const paths = isPath
    ? [resolve(cwd, nameOrPath)]
    : listPathsOnSearchPath([nameOrPath], env, platform);
  const browser = paths.find(isProgram);
  if (browser !== undefined) return browser;

  throw new UsageError(
    `ADREPORT_BROWSER is ${printable(nameOrPath)}, which is not a program on this machine.`,
    {
      code: 'NO_BROWSER',
      hint: `Set it to the path of Chrome, Chromium or Edge, or unset it. ${pageHint}`,
    },
  );
}

function listDefaultPaths({ env, platform }: BrowserSearch): string[] {
  if (platform === 'win32') {
    const folders = windowsFolders.map((name) => env[name] ?? '');
    return joinPaths(folders, windowsPaths, '\\');
  }
  if (platform === 'darwin') return joinPaths(['/', env.HOME ?? ''], macPaths, '/');
  return [...listPathsOnSearchPath(programNames, env, platform), ...linuxPaths];
}

function joinPaths(
  folders: readonly string[],
  subpaths: readonly string[],
  slash: string,
): string[] {
  const paths: string[] = [];
  for (const subpath of subpaths) {
    for (const folder of folders) {
      if (folder === '') continue;
      paths.push(folder.endsWith(slash) ? folder + subpath : folder + slash + subpath);
    }
  }
  return paths;
}

/** Lists the possible paths of these names on the search path. */
function listPathsOnSearchPath(
  names: readonly string[],
  env: Environment,
  platform: NodeJS.Platform,
): string[] {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const ending = platform === 'win32' ? '.exe' : '';

  const paths: string[] = [];
  for (const name of names) {
    const fileName = name.endsWith(ending) ? name : name + ending;
    for (const folder of folders) paths.push(join(folder, fileName));
  }
  return paths;
}

/** Whether the path is a file that this user may execute. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
