// Browser scripts: `import script from './script.ts?bundled'` imports the text of the bundled
// script, in the build and in the tests.
import { buildSync } from 'esbuild';

/** Matches the specifiers of such imports. */
export const bundledImport = /\.ts\?bundled$/;

/** The bundled script of a file, as text. */
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
