/**
 * Makes the pictures of the README from the built-in data: a session in a terminal, and a page as a
 * browser of the Chromium family shows it. Run it after a build: `node test/pictures/make.js`, or
 * with another folder for the pictures behind it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import stringWidth from 'fast-string-width';
import { chromium } from 'playwright-core';

const target = resolve(process.argv[2] ?? import.meta.dirname);
const program = resolve(import.meta.dirname, '../../bin/adreport.js');
const folder = mkdtempSync(join(tmpdir(), 'adreport-pictures-'));
const columns = 100;
const env = {
  ...process.env,
  ADREPORT_CONFIG_DIR: folder,
  COLUMNS: String(columns),
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  FORCE_COLOR: '1',
};
delete env.NO_COLOR;
const options = { cwd: folder, env, encoding: 'utf8' };

/** What a command line writes to both streams, line by line, as a terminal shows it. */
function session(line) {
  const call = line.replace(/^adreport/, `'${process.execPath}' '${program}'`);
  const command = `stty cols ${columns}; ${call}`;
  const output = execFileSync('script', ['-qec', command, '/dev/null'], options);
  // What a bar drew and took away again ends with the last escape that clears its line.
  const shown = output.replaceAll('\r', '').split('\u001b[2K').at(-1) ?? '';
  return [`\u001b[32m$ ${line}\u001b[39m`, ...shown.trimEnd().split('\n'), ''];
}

const lineHeight = 18;
const cellWidth = 7.8;
const margin = 16;
const colours = { 31: '#ff7b72', 32: '#7ee787', 36: '#79c0ff' };

const escaped = (text) => {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
};

/**
 * A line of a terminal as SVG. Words that stand together are one text, at the place of its cells
 * and as wide as these, so that columns stand below each other whatever the font makes of an emoji.
 */
function lineOfPicture(line, row) {
  const style = { bold: false, dim: false, colour: undefined };
  const texts = [];
  let cell = 0;
  const colourCode = new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m`);

  for (const [i, part] of line.split(colourCode).entries()) {
    if (i % 2 === 1) {
      applyTo(style, Number(part));
      continue;
    }
    for (const piece of part.split(/( {2,}|^ | $)/)) {
      const width = stringWidth(piece);
      if (piece.trim() !== '') texts.push(textElement(piece, { cell, width, row, style }));
      cell += width;
    }
  }
  return texts.join('');
}

function applyTo(style, code) {
  if (code === 1) style.bold = true;
  if (code === 2) style.dim = true;
  if (code === 0 || code === 22) Object.assign(style, { bold: false, dim: false });
  if (code === 0 || code === 39) style.colour = undefined;
  if (colours[code]) style.colour = colours[code];
}

function textElement(text, { cell, width, row, style }) {
  const x = (margin + cell * cellWidth).toFixed(1);
  const y = 28 + row * lineHeight;
  const length = (width * cellWidth).toFixed(1);
  const looks = [
    style.bold ? ' font-weight="bold"' : '',
    style.dim ? ' opacity=".6"' : '',
    style.colour ? ` fill="${style.colour}"` : '',
  ];
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${looks.join('')}>${escaped(text)}</text>\n`;
}

/** A session of some command lines as SVG. */
function drawTerminal(commands) {
  const lines = commands.flatMap(session);
  lines.pop();
  const widest = Math.max(...lines.map((line) => stringWidth(line)));
  const width = Math.ceil(widest * cellWidth) + 2 * margin;
  const height = lines.length * lineHeight + 24;
  const drawn = lines.map(lineOfPicture).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A session in a terminal">
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#e6edf3">
${drawn}</g>
</svg>
`;
}

/** Fills a folder `data` with the days of two months. */
function fillFolder() {
  const run =
    'run --period 2026-09..2026-10 --by CAMPAIGN,COUNTRY --split day -o data/{date}.csv -q';
  const server = ['local-server', 'exec', '--delay', '0', '--', process.execPath, program];
  execFileSync(process.execPath, [program, ...server, ...run.split(' ')], options);
}

/** The page of the same report, down to the end of its first chart. */
async function photographPage() {
  const line =
    'run --local --period 2026-10 --by DAILY,CAMPAIGN --compare previous -o october.html -q';
  execFileSync(process.execPath, [program, ...line.split(' ')], options);

  const executablePath = process.env.ADREPORT_BROWSER ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  await page.goto(`file://${join(folder, 'october.html')}`);
  const chart = await page.locator('figure').first().boundingBox();
  const height = Math.ceil((chart?.y ?? 0) + (chart?.height ?? 0)) + 6;
  const picture = await page.screenshot({
    clip: { x: 0, y: 0, width: 1280, height },
    fullPage: true,
  });
  await browser.close();
  return picture;
}

const sessions = {
  'terminal.svg': [
    'adreport run --local --period 2026-10 --by DAILY,CAMPAIGN -o october.csv',
    'adreport run --local --period 2026-10 --by CAMPAIGN --compare previous --metrics displays,revenueEuro',
  ],
  'folder.svg': [
    'adreport view data --period 2026-10 --by COUNTRY --compare previous --metrics displays,revenueEuro,ctr',
  ],
};
fillFolder();
for (const [name, commands] of Object.entries(sessions)) {
  writeFileSync(join(target, name), drawTerminal(commands));
}
writeFileSync(join(target, 'page.png'), await photographPage());
rmSync(folder, { recursive: true });
