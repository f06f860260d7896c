import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a browser is looked for. */
export interface BrowserSearch {
  readonly env: Environment;

  /** The folder that a path in `ADREPORT_BROWSER` starts from. */
  readonly cwd: string;

  readonly platform: NodeJS.Platform;

  /** Whether a path is that of a program. */
  readonly isProgram: (path: string) => boolean;
}

/** The names that these browsers have on the path of Linux. */
const usualNames = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'microsoft-edge',
  'microsoft-edge-stable',
];

/** Where they are on Linux when the path does not lead there, as that of cron. */
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

/** The folders of programs of Windows, as its environment names them. */
const windowsFolders = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'];

const wayWithoutBrowser = 'Or write the page, -o report.html, and print it from any browser.';

/**
 * The path of a browser that prints pages: what `ADREPORT_BROWSER` names, else an installed Chrome,
 * Chromium or Edge. Throws `UsageError` where there is none.
 */
export function findBrowser(search: BrowserSearch): string {
  const wanted = search.env.ADREPORT_BROWSER;
  if (wanted) return browserNamed(wanted, search);

  const browser = usualPlaces(search).find(search.isProgram);
  if (browser !== undefined) return browser;

  throw new UsageError('A PDF needs a browser to print it, and none was found.', {
    code: 'NO_BROWSER',
    hint: `Install Chrome, Chromium or Edge, or name one with ADREPORT_BROWSER. ${wayWithoutBrowser}`,
  });
}

/** The program that `ADREPORT_BROWSER` means: a path, or a name on the path. */
function browserNamed(wanted: string, { env, cwd, platform, isProgram }: BrowserSearch): string {
  const isPath = /[\\/]/.test(wanted);
  const places = isPath ? [resolve(cwd, wanted)] : onPath([wanted], env, platform);
  const browser = places.find(isProgram);
  if (browser !== undefined) return browser;

  throw new UsageError(`ADREPORT_BROWSER names ${printable(wanted)}, which is no program here.`, {
    code: 'NO_BROWSER',
    hint: `Give the path of Chrome, Chromium or Edge, or unset the variable. ${wayWithoutBrowser}`,
  });
}

function usualPlaces({ env, platform }: BrowserSearch): string[] {
  if (platform === 'win32') {
    const folders = windowsFolders.map((name) => env[name] ?? '');
    return placesIn(folders, windowsPlaces, '\\');
  }
  if (platform === 'darwin') return placesIn(['/', env.HOME ?? ''], macPlaces, '/');
  return [...onPath(usualNames, env, platform), ...linuxPlaces];
}

function placesIn(folders: readonly string[], places: readonly string[], slash: string): string[] {
  const paths: string[] = [];
  for (const place of places) {
    for (const folder of folders) {
      if (folder === '') continue;
      paths.push(folder.endsWith(slash) ? folder + place : folder + slash + place);
    }
  }
  return paths;
}

/** The paths that some names may have in the folders of the path. */
function onPath(names: readonly string[], env: Environment, platform: NodeJS.Platform): string[] {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const ending = platform === 'win32' ? '.exe' : '';

  const paths: string[] = [];
  for (const name of names) {
    const fileName = name.endsWith(ending) ? name : name + ending;
    for (const folder of folders) paths.push(join(folder, fileName));
  }
  return paths;
}

/** Whether a path leads to a file that this user may run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
