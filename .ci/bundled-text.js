// Scripts for browsers: `import script from './script.ts?bundled'` is the text of the script with
// what it imports. The build and the tests load them so.
import { buildSync } from 'esbuild';

/** The specifiers of such imports. */
export const bundledImport = /\.ts\?bundled$/;

/** The script of a file, with its imports, as text. */
export function bundledText(path) {
  const { outputFiles } = buildSync({
    entryPoints: [path.replace(/\?.*$/, '')],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    minifySyntax: true,
    minifyWhitespace: true,
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}
