import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The name under which a project file is found. */
export const projectFileName = 'adreport.yaml';

/** The path of the `adreport.yaml` in a folder or the nearest one above it; `undefined` where there is none. */
export function findProjectFile(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    const path = join(current, projectFileName);
    if (existsSync(path)) return path;
    if (dirname(current) === current) return undefined;
  }
}
