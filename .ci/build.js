// Bundles the program into dist/: its packages included, so that an install is one package, and split, so that a command
// loads only what it runs. The licences of what is bundled go beside it.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { toCommonJs } from './to-commonjs.js';

/**
 * Node needs half a millisecond for each file, so what is needed together stands in one: the static imports of these
 * sources. Everything else is a file of its own.
 */
const groups = {
  start: ['src/main.ts'],
  context: ['src/context.ts'],
  calls: ['src/api/http.ts', 'src/api/client.ts', 'src/api/exchange.ts'],
  report: [
    'src/commands/run.ts',
    'src/commands/actions/run.ts',
    'src/report/request/plan.ts',
    'src/report/wait.ts',
    'src/rows/read-rows.ts',
    'src/report/parts/completeness.ts',
    'src/output/write-rows.ts',
    'src/output/file/output-file.ts',
    'src/output/file/file-name.ts',
    'src/output/formats/index.ts',
    'src/output/formats/csv.ts',
    'src/ui/progress.ts',
    'src/ui/progress-log.ts',
    'src/text/quantity.ts',
  ],
};

/**
 * What packages load at once and do not use here, with what stands in for it: commander starts no programs; undici
 * speaks no HTTP/2, sends no forms, is given no `IncomingMessage` and is told its header limit.
 */
const unused = {
  commander: { 'node:child_process': '', 'node:fs': '' },
  undici: {
    './client-h2.js': 'module.exports = () => { throw new Error("There is no HTTP/2 here."); };',
    '../web/fetch/body.js': '',
    'node:http': 'module.exports = { IncomingMessage: class {}, maxHeaderSize: 16384 };',
    'node:assert': `module.exports = function assert(value, message) {
      if (!value) throw message instanceof Error ? message : new Error(message ?? 'undici: an assertion failed');
    };`,
  },
};

const withoutUnused = {
  name: 'without-what-is-not-used',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, importer }) => {
      const [, name] = /node_modules.(commander|undici)\b/.exec(importer) ?? [];
      return name && path in unused[name] ? { path, namespace: 'unused', pluginData: unused[name][path] } : undefined;
    });
    onLoad({ filter: /./, namespace: 'unused' }, ({ pluginData }) => ({ contents: pluginData, loader: 'js' }));
    // undici has its parser as base64 text, twice: as files of their own the one that is not used costs nothing.
    onResolve({ filter: /llhttp\/llhttp(_simd)?-wasm\.js$/ }, ({ path, importer }) => {
      const name = `${basename(path, '.js')}.wasm`;
      parsers.set(name, join(dirname(importer), path));
      return { path: `./${name}`, external: true };
    });
    onLoad({ filter: /node_modules.string-width.index\.js$/ }, ({ path }) => {
      const early = 'const segmenter = new Intl.Segmenter();';
      const text = readFileSync(path, 'utf8');
      // Another version of it, in CommonJS, comes with cli-progress.
      if (text.includes('module.exports')) return undefined;
      if (!text.includes(early)) throw new Error('string-width has changed: is its segmenter still made at once?');
      // It takes longer than the rest of a small table, whose cells seldom need it.
      const late = 'let made; const segmenter = { segment: (text) => (made ??= new Intl.Segmenter()).segment(text) };';
      return { contents: text.replace(early, late) };
    });
  },
};

/** Names of binary files, and the modules that hold what is in them. */
const parsers = new Map();

const { metafile, outputFiles } = await build({
  entryPoints: { main: 'src/main.ts', 'test-server': 'src/local-server.ts' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  outdir: 'dist',
  chunkNames: '[name]-[hash]',
  // Names stay, so that the trace of a bug can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  write: false,
  plugins: [withoutUnused],
});

// Node's loader of ES modules takes several milliseconds to start, so every part becomes a CommonJS function.
const parts = new Map(
  outputFiles.map(({ path, text }) => [basename(path), `(exports,module,require){${toCommonJs(text)}}`]),
);

mkdirSync('dist/parts', { recursive: true });
const files = {};
for (const [group, sources] of Object.entries(groups)) {
  const members = [...sources.flatMap(staticImportsOf)].filter((name) => parts.has(name));
  const texts = [...new Set(members)].map((name) => `${JSON.stringify(name)}${parts.get(name)}`);
  const text = `"use strict";module.exports={${texts.join(',\n')}};\n`;
  const file = `${group}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.js`;
  for (const name of members) {
    files[name] = file;
    parts.delete(name);
  }
  writeFileSync(`dist/parts/${file}`, text);
}
const require = createRequire(import.meta.url);
for (const [name, source] of parsers) writeFileSync(`dist/parts/${name}`, require(source));
// The parentheses tell V8 that the function is called at once, and need not be parsed twice.
for (const [name, text] of parts)
  writeFileSync(`dist/parts/${name}`, `"use strict";module.exports=(function${text});\n`);
const loader = readFileSync('.ci/parts.cjs', 'utf8');
writeFileSync('dist/parts.js', loader.replace('const files = {};', `const files = ${JSON.stringify(files)};`));

/** The parts that a source needs before it runs, itself included. */
function staticImportsOf(source) {
  const outputs = Object.entries(metafile.outputs);
  const [first] = outputs.find(([, { entryPoint }]) => entryPoint === source) ?? [];
  if (!first) throw new Error(`${source} is no entry of the bundle.`);
  const found = new Set([first]);
  for (const path of found) {
    for (const { path: next, kind, external } of metafile.outputs[path].imports) {
      if (kind === 'import-statement' && !external) found.add(next);
    }
  }
  return [...found].map((path) => basename(path));
}

// What others import: written out, so that an `import` finds the name too.
const testServer = "require('./parts.js').load('test-server.js')";
writeFileSync('dist/local-server.js', `exports.startLocalServer = ${testServer}.startLocalServer;\n`);
// The project's own files are ES modules.
writeFileSync('dist/package.json', '{ "type": "commonjs" }\n');

const packages = new Set();
for (const { inputs } of Object.values(metafile.outputs)) {
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
    if (folder && bytesInOutput > 0) packages.add(folder);
  }
}
const texts = [...packages].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : `Licensed under ${license}.`;
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync('dist/LICENSES.txt', `adreport bundles these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`);
