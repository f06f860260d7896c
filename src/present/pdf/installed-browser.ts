import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface BrowserSearch {
  readonly env: Environment;

  /** Folder of a relative path in `ADREPORT_BROWSER`. */
  readonly cwd: string;

  readonly platform: NodeJS.Platform;

  /** Returns true for the path of an executable file. */
  readonly isProgram: (path: string) => boolean;
}

/** Names of browsers on the Linux search path. */
const programNames = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'microsoft-edge',
  'microsoft-edge-stable',
];

/** Locations on Linux outside the search path, for example under cron. */
const linuxPlaces = [
  '/opt/google/chrome/chrome',
  '/opt/microsoft/msedge/msedge',
  '/usr/local/bin/chromium',
  '/snap/bin/chromium',
];

const macPlaces = [
  'Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'Applications/Chromium.app/Contents/MacOS/Chromium',
  'Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

const windowsPlaces = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];

/** Variables for the program folders of Windows. */
const windowsFolders = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'];

const otherWay = 'Or write a page with -o report.html and print it from any browser.';

/**
 * Returns the browser in `ADREPORT_BROWSER`, otherwise an installed Chrome, Chromium or Edge.
 * Throws `UsageError` if there is none.
 */
export function findBrowser(search: BrowserSearch): string {
  const wanted = search.env.ADREPORT_BROWSER;
  if (wanted) return findNamedBrowser(wanted, search);

  const browser = listDefaultPaths(search).find(search.isProgram);
  if (browser !== undefined) return browser;

  throw new UsageError('Cannot print a PDF: no browser was found.', {
    code: 'NO_BROWSER',
    hint: `Install Chrome, Chromium or Edge, or set ADREPORT_BROWSER to the path of one. ${otherWay}`,
  });
}

/** Finds a browser by its path, or by its name on the search path. */
function findNamedBrowser(
  wanted: string,
  { env, cwd, platform, isProgram }: BrowserSearch,
): string {
  const isPath = /[\\/]/.test(wanted);
  const places = isPath ? [resolve(cwd, wanted)] : listOnPath([wanted], env, platform);
  const browser = places.find(isProgram);
  if (browser !== undefined) return browser;

  throw new UsageError(
    `ADREPORT_BROWSER is ${printable(wanted)}, which is not a program on this machine.`,
    {
      code: 'NO_BROWSER',
      hint: `Set it to the path of Chrome, Chromium or Edge, or unset it. ${otherWay}`,
    },
  );
}

function listDefaultPaths({ env, platform }: BrowserSearch): string[] {
  if (platform === 'win32') {
    const folders = windowsFolders.map((name) => env[name] ?? '');
    return listPlaces(folders, windowsPlaces, '\\');
  }
  if (platform === 'darwin') return listPlaces(['/', env.HOME ?? ''], macPlaces, '/');
  return [...listOnPath(programNames, env, platform), ...linuxPlaces];
}

function listPlaces(
  folders: readonly string[],
  places: readonly string[],
  slash: string,
): string[] {
  const paths: string[] = [];
  for (const place of places) {
    for (const folder of folders) {
      if (folder === '') continue;
      paths.push(folder.endsWith(slash) ? folder + place : folder + slash + place);
    }
  }
  return paths;
}

/** Lists names in each folder of the search path. */
function listOnPath(
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

/** Returns true for a file that this user may execute. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
