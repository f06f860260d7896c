// Makes the pictures of the README from the built-in data: a page (a browser of the Chromium family is needed) and a session
// in a terminal. Run it after a build: node test/pictures/make.js
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'adreport-pictures-'));
const program = resolve(here, '../../bin/adreport.js');
const env = {
  ...process.env,
  ADREPORT_CONFIG_DIR: folder,
  COLUMNS: '96',
  LANG: 'C.UTF-8',
  NO_COLOR: '1',
};
const options = { cwd: folder, env, encoding: 'utf8' };
const period = '--period 2026-11-02..2026-11-08';

/** What a command line writes to both streams, as a terminal shows it. */
function session(line) {
  const command = line.replace(/^adreport/, `stty cols 96; '${process.execPath}' '${program}'`);
  const shown = execFileSync('script', ['-qec', command, '/dev/null'], options).replaceAll(
    '\r',
    '',
  );
  const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');
  return [`$ ${line}`, ...shown.replaceAll(escapes, '').trim().split('\n')];
}

// Browsers draw several blanks as one, whatever `xml:space` says: no-break spaces keep the columns.
const escaped = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(' ', '\u00a0');

const lines = [
  ...session(`adreport run --local ${period} --by DAILY,CAMPAIGN -o week.csv`).filter((line) =>
    /^[$W]/.test(line),
  ),
  ...session(
    'adreport view week.csv --by CAMPAIGN --sort ecpmEuro --top 5 --metrics displays,clicks,ecpmEuro',
  ),
];
const [lineHeight, charWidth] = [18, 7.8];
const width = Math.ceil(Math.max(...lines.map((line) => [...line].length)) * charWidth) + 32;
const texts = lines.map(
  (line, at) =>
    `<text x="16" y="${28 + at * lineHeight}"${line.startsWith('$') ? ' fill="#7ee787"' : ''}>${escaped(line)}</text>`,
);
writeFileSync(
  join(here, 'terminal.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${lines.length * lineHeight + 24}" role="img" aria-label="A session in a terminal">
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" fill="#e6edf3">
${texts.join('\n')}
</g>
</svg>
`,
);

const page = `run --local ${period} --by DAILY,CAMPAIGN --metrics displays,clicks,revenueEuro -o week.html -q`;
execFileSync(process.execPath, [program, ...page.split(' ')], options);
const picture = join(here, 'page.png');
execFileSync('chromium', [
  ...[
    '--headless',
    '--no-sandbox',
    '--hide-scrollbars',
    '--force-device-scale-factor=1',
    '--window-size=1000,760',
  ],
  ...[`--screenshot=${picture}`, `file://${join(folder, 'week.html')}`],
]);
rmSync(folder, { recursive: true });
