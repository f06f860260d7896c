// `npm run bench [NAME…]`: runs the measurements of this folder one after the other, all of them or
// those named. Each prints a table of ratios against named peers of the same run, and says which
// peers are missing on this machine. The first peer is the release before, which is built for it;
// `BASELINE` names another tag, commit or built checkout.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { buildBaseline } from './figures/baseline.js';

const folder = import.meta.dirname;
const known = readdirSync(folder).flatMap((file) =>
  file.endsWith('.ts') ? basename(file, '.ts') : [],
);
const wanted = process.argv.length > 2 ? process.argv.slice(2) : known;
if (!wanted.every((name) => known.includes(name))) {
  console.error(`There are the measurements ${known.join(', ')}.`);
  process.exit(2);
}

const outdir = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
await build({
  entryPoints: wanted.map((name) => join(folder, `${name}.ts`)),
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
  banner: {
    js: "import{createRequire as _cr}from'node:module';const require=_cr(import.meta.url);",
  },
});
const BASELINE = buildBaseline(outdir, process.env.BASELINE);
for (const name of wanted) {
  console.log(`\n## ${name}\n`);
  const { status } = spawnSync(process.execPath, [join(outdir, `${name}.mjs`)], {
    stdio: 'inherit',
    env: { ...process.env, BASELINE },
  });
  process.exitCode ||= status ?? 1;
}
rmSync(outdir, { recursive: true, force: true });
