// Bundles the program and its packages into dist/, so that an install is one package without
// dependencies. Beside it go the licences of what is bundled, and a skill file, from which agents
// learn what the program is for.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

// Packages in CommonJS ask for Node's own modules with `require`, which an ES module lacks.
const banner = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`;

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
  // A package that is written in both is taken as ES modules: esbuild cannot follow the files of
  // one that is in UMD.
  mainFields: ['module', 'main'],
  outdir: 'dist',
  chunkNames: 'parts/[name]-[hash]',
  loader: { '.md': 'text' },
  banner: { js: banner },
  // Names stay, so that the trace of a bug can be read.
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
});

const licenses = bundledFolders().map(licenseOf);
const line = `\n${'-'.repeat(80)}\n\n`;
writeFileSync('dist/LICENSES.txt', `adreport bundles these packages.\n\n${licenses.join(line)}`);
writeFileSync('dist/SKILL.md', skillOf(readFileSync('src/help/agents.md', 'utf8')));

/** The folders of the packages of which code is in the bundle, in order and each once. */
function bundledFolders() {
  const folders = new Set();

  for (const output of Object.values(metafile.outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
      if (folder && bytesInOutput > 0) folders.add(folder);
    }
  }
  return [...folders].sort();
}

/** A package's name, version and licence, as text for people and for audits. */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));

  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file
    ? readFileSync(`${folder}/${file}`, 'utf8').trim()
    : `Licensed under ${license}.`;

  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** A topic of help as a skill file. Its first paragraph says when the skill is of use. */
function skillOf(topic) {
  const [, firstParagraph = ''] = topic.split('\n\n');
  const description = firstParagraph.replaceAll('\n', ' ').replaceAll('`', '');

  return `---\nname: adreport\ndescription: ${JSON.stringify(description)}\n---\n\n${topic}`;
}
