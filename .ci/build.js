// Bundles the program and its packages into dist/, so that the package has no dependencies. Also
// writes the licences of the bundled packages, a skill file for agents, and the JSON Schema of
// adreport.yaml.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundledImport, bundledText } from './bundled-text.js';

// CommonJS packages load Node's modules with `require`, which ES modules do not have.
const banner = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`;

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

// Parts of packages that the program never uses, by the file that loads them. They would take as long
// to load as the rest of the package.
const unusedParts = [
  // fetch, WebSocket, caches, mocks, and HTTP/2, which is off by default.
  { importer: 'undici/index.js', parts: /^\.\/lib\/(cache|interceptor|mock|web)\// },
  { importer: 'undici/lib/dispatcher/client.js', parts: /^\.\/client-h2\.js$/ },
  // The local server has no schemas, no logger and no plugins, and `inject` is for tests.
  { importer: 'fastify/lib/schema-controller.js', parts: /^@fastify\// },
  { importer: 'fastify/lib/logger-factory.js', parts: /^\.\/logger-pino\.js$/ },
  { importer: 'fastify/lib/server.js', parts: /^node:http2$/ },
  { importer: 'fastify/fastify.js', parts: /^light-my-request$/ },
];

const withoutUnusedParts = {
  name: 'without unused parts',
  setup({ onResolve, onLoad }) {
    for (const { importer, parts } of unusedParts) {
      onResolve({ filter: parts }, (import_) => {
        const isMeant = import_.importer.replaceAll('\\', '/').endsWith(`/${importer}`);
        return isMeant ? { path: import_.path, namespace: 'unused' } : undefined;
      });
    }
    // undici creates one of its caches.
    const contents = 'module.exports = new Proxy({}, { get: () => class {} });';
    onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents }));
  },
};

rmSync('dist', { recursive: true, force: true });

const options = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  // Prefer ES modules: esbuild cannot follow the imports of UMD files.
  mainFields: ['module', 'main'],
  outdir: 'dist',
  loader: { '.md': 'text' },
  plugins: [bundledScripts, withoutUnusedParts],
  // Keeps names, so that stack traces are readable.
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
};

// Node takes a millisecond to load a file, and esbuild splits what several parts share by who uses
// it. So each part that is loaded later imports all of the program, which then is one file.
const oneProgram = {
  name: 'one program',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind, resolveDir }) => {
      const isPart = kind === 'dynamic-import';
      return isPart ? { path: resolve(resolveDir, path), namespace: 'part' } : undefined;
    });
    onLoad({ filter: /./, namespace: 'part' }, ({ path }) => {
      const program = JSON.stringify(resolve('src/main.ts'));
      const contents = `import ${program}; export * from ${JSON.stringify(path)};`;
      return { contents, resolveDir: dirname(path) };
    });
  },
};

const modules = {
  ...options,
  splitting: true,
  format: 'esm',
  chunkNames: 'parts/[name]-[hash]',
  banner: { js: banner },
  metafile: true,
};
const bundles = [
  await build({
    ...modules,
    entryPoints: { main: 'src/main.ts' },
    plugins: [...options.plugins, oneProgram],
  }),
  // Parquet is read in a separate process, found by `imports` in package.json.
  await build({ ...modules, entryPoints: { 'parquet-process': 'src/rows/parquet-process.ts' } }),
  // Test runners such as Jest, and older programs, load the package with `require`.
  await build({
    ...options,
    entryPoints: { index: 'src/index.ts', 'local-server': 'src/local-server.ts' },
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    metafile: true,
  }),
];
mkdirSync('dist/types');
const entries = {
  index: { values: ['createClient'], classes: ['AdreportError'] },
  'local-server': { values: ['startLocalServer'], classes: [] },
};
for (const [file, exported] of Object.entries(entries)) {
  const names = [...exported.values, ...exported.classes].join(', ');
  writeFileSync(`dist/${file}.js`, `export { ${names} } from './${file}.cjs';\n`);
  writeFileSync(`dist/types/${file}.d.cts`, typesForRequire(file, exported));
}

const licenses = bundledFolders().map(licenseOf);
const line = `\n${'-'.repeat(80)}\n\n`;
writeFileSync('dist/LICENSES.txt', `adreport bundles these packages.\n\n${licenses.join(line)}`);
writeFileSync('dist/SKILL.md', skillOf(readFileSync('src/help/agents.md', 'utf8')));

await build({
  ...options,
  entryPoints: { schema: 'src/query/project-schema.ts' },
  format: 'esm',
  banner: { js: banner },
});
const { jsonSchema } = await import('../dist/schema.js');
writeFileSync('dist/adreport.schema.json', `${JSON.stringify(jsonSchema())}\n`);
rmSync('dist/schema.js');

/** The folders of the bundled packages, sorted and unique. */
function bundledFolders() {
  const folders = new Set();

  for (const output of bundles.flatMap(({ metafile }) => Object.values(metafile.outputs))) {
    for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
      if (folder && bytesInOutput > 0) folders.add(folder);
    }
  }
  return [...folders].sort();
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

/** Name, version and licence of a package, as text. */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));

  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file
    ? readFileSync(`${folder}/${file}`, 'utf8').trim()
    : `Licensed under ${license}.`;

  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** A help topic as a skill file. Its first paragraph is the description. */
function skillOf(topic) {
  const [, firstParagraph = ''] = topic.split('\n\n');
  const description = firstParagraph.replaceAll('\n', ' ').replaceAll('`', '');

  return `---\nname: adreport\ndescription: ${JSON.stringify(description)}\n---\n\n${topic}`;
}
