// Builds the program and the two imports of the package into dist/. Packages stay packages: they
// are the `dependencies` of package.json.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { bundledImport, bundledText } from './bundled-text.js';

const bundledScripts = {
  name: 'bundled scripts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: bundledImport }, ({ path, resolveDir }) => {
      return { path: resolve(resolveDir, path), namespace: 'bundled' };
    });
    onLoad({ filter: /./, namespace: 'bundled' }, ({ path }) => {
      return { contents: bundledText(path), loader: 'text' };
    });
  },
};

const options = {
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  outdir: 'dist',
  loader: { '.md': 'text' },
  plugins: [bundledScripts],
  // Names stay, so that stack traces are readable.
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
};

rmSync('dist', { recursive: true, force: true });

await build({
  ...options,
  // Parquet is read in a separate process, found by `imports` in package.json.
  entryPoints: { main: 'src/main.ts', 'parquet-process': 'src/rows/parquet-process.ts' },
  format: 'esm',
  splitting: true,
  chunkNames: 'parts/[name]-[hash]',
});

// Both imports are CommonJS, for Jest and for programs that use `require`. Jest has no `import()`.
await build({
  ...options,
  entryPoints: { index: 'src/index.ts', 'local-server': 'src/local-server.ts' },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  supported: { 'dynamic-import': false },
});

const entries = {
  index: { values: ['createClient'], classes: ['AdreportError'] },
  'local-server': { values: ['startLocalServer'], classes: [] },
};

mkdirSync('dist/types');

// `import` loads what `require` loads, so that there is one class AdreportError.
for (const [file, exported] of Object.entries(entries)) {
  const names = [...exported.values, ...exported.classes].join(', ');
  writeFileSync(`dist/${file}.js`, `export { ${names} } from './${file}.cjs';\n`);
  writeFileSync(`dist/types/${file}.d.cts`, typesForRequire(file, exported));
}

/** Types of a CommonJS bundle, re-exported from the ES module. */
function typesForRequire(file, { values, classes }) {
  const mode = `with { 'resolution-mode': 'import' }`;
  const module = `import('./${file}.js', { ${mode.replace('with', 'with:')} })`;
  const lines = [`export type * from './${file}.js' ${mode};`];
  for (const name of [...values, ...classes]) {
    lines.push(`export declare const ${name}: typeof ${module}.${name};`);
  }
  for (const name of classes) lines.push(`export type ${name} = ${module}.${name};`);
  return `${lines.join('\n')}\n`;
}
