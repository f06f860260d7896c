// Bundles the program and its packages into dist/, so that an install is one package without dependencies, and writes the
// licences of what is bundled beside it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

rmSync('dist', { recursive: true, force: true });

const { metafile } = await build({
  // A process of its own reads Parquet; `imports` of package.json finds it beside the program.
  entryPoints: {
    main: 'src/main.ts',
    'local-server': 'src/local-server.ts',
    'parquet-process': 'src/rows/parquet-process.ts',
  },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  outdir: 'dist',
  chunkNames: 'parts/[name]-[hash]',
  loader: { '.md': 'text' },
  // Packages in CommonJS ask for Node's own modules with `require`, which an ES module lacks.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  // Names stay, so that the trace of a bug can be read.
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
});

const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
const folders = inputs.flatMap(([file, { bytesInOutput }]) => {
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
  return folder && bytesInOutput > 0 ? [folder] : [];
});
const texts = [...new Set(folders)].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file
    ? readFileSync(`${folder}/${file}`, 'utf8').trim()
    : `Licensed under ${license}.`;
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync(
  'dist/LICENSES.txt',
  `adreport bundles these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`,
);
