import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a browser of the Chromium family, found on the PATH; `undefined` where there is none. */
export function findBrowser(): string | undefined {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}
