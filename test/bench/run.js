// `npm run bench [NAME…]`: runs the measurements of this folder one after the other, all of them or those named. Each
// prints a table of ratios against named peers of the same run, and says which peers are missing on this machine.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const folder = import.meta.dirname;
const known = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'));
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !known.includes(name));
if (unknown) {
  console.error(`There is no measurement “${unknown}”. There are ${known.join(', ')}.`);
  process.exit(2);
}

const outdir = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
let exitCode = 0;
try {
  for (const name of wanted.length > 0 ? wanted : known) {
    const outfile = join(outdir, `${name}.mjs`);
    await build({
      entryPoints: [join(folder, `${name}.ts`)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'warning',
      banner: { js: "import{createRequire as _cr}from'node:module';const require=_cr(import.meta.url);" },
    });
    console.log(`\n## ${name}\n`);
    const { status } = spawnSync(process.execPath, [outfile], { stdio: 'inherit' });
    exitCode ||= status ?? 1;
  }
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
process.exitCode = exitCode;
