// Bundles the program into dist/: one split bundle, its packages included, so that an install is one package and a
// command loads only what it runs. The licences of what is bundled go beside it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

// commander loads node:child_process, which costs milliseconds, for subcommands that are programs of their own. There are
// none here.
const withoutChildProcess = {
  name: 'commander-without-child-process',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /node_modules.commander./.test(importer) ? { path: 'none', namespace: 'nothing' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'nothing' }, () => ({ contents: 'module.exports = {};' }));
  },
};

const { metafile } = await build({
  entryPoints: ['src/main.ts', 'src/local-server.ts'],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  // Names stay, so that the trace of a bug can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  plugins: [withoutChildProcess],
  // CommonJS packages in an ES module need a require for what Node itself brings.
  banner: { js: "import{createRequire as _cr}from'node:module';const require=_cr(import.meta.url);" },
});

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
