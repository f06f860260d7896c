import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

export interface Script {
  readonly file: string;
  remove(): void;
}

/** Bundles TypeScript, with imports relative to the project root, into one file for plain Node. */
export function bundleScript(source: string): Script {
  const folder = mkdtempSync(join(tmpdir(), 'adreport-script-'));
  const file = join(folder, 'script.mjs');
  const { outputFiles } = buildSync({
    stdin: { contents: source, resolveDir: resolve(import.meta.dirname, '../..'), loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
    // Bundled CommonJS packages load built-in modules with `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  writeFileSync(file, outputFiles[0]?.contents ?? '');
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
