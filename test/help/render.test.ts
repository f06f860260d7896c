import { expect, test } from 'vitest';
import { topics } from '../../src/help/index.ts';
import { renderMarkdown } from '../../src/help/render.ts';
import { plainStyle } from '../../src/ui/console.ts';
import { readCodeBlocks } from '../support/code-blocks.ts';

const text = `# Title

A paragraph with \`code\` and **weight** that is too long for its line.

- one
- two, which
  goes on

\`\`\`sh
adreport run   # as it is

adreport view
\`\`\`

| name | meaning |
| --- | --- |
| \`a\` | the meaning of a, which goes on |
| \`b\\|c\` | short |
`;

test('headings, paragraphs, lists, code and tables', () => {
  expect(renderMarkdown(text, { width: 30, style: plainStyle, platform: 'linux' })).toBe(`Title

A paragraph with code and
weight that is too long for
its line.

  - one
  - two, which goes on

adreport run   # as it is

adreport view

  a    the meaning of a, which
       goes on
  b|c  short
`);
});

test('the code of every topic can be copied from the terminal as it is in the file', () => {
  const blocks = readCodeBlocks();
  expect(blocks.length).toBeGreaterThan(30);

  for (const { topic, text: code } of blocks) {
    const page = renderMarkdown(topics[topic] ?? '', {
      width: 200,
      style: plainStyle,
      platform: 'linux',
    });
    expect(page).toContain(`\n\n${code}`);
  }
});

test('a comment that does not fit after its command is above it, like those of its neighbours', () => {
  const code =
    '```sh\nadreport run --local   # a report\nadreport view x.csv    # its figures, and its rows\n```';
  expect(
    renderMarkdown(code, { width: 60, style: plainStyle, platform: 'linux' }),
  ).toBe(`adreport run --local   # a report
adreport view x.csv    # its figures, and its rows
`);
  expect(renderMarkdown(code, { width: 48, style: plainStyle, platform: 'linux' })).toBe(`# a report
adreport run --local
# its figures, and its rows
adreport view x.csv
`);
});

test('no comment of a topic is broken by a terminal of 80 columns', () => {
  for (const topic of Object.values(topics)) {
    const page = renderMarkdown(topic, { width: 80, style: plainStyle, platform: 'linux' });
    for (const line of page.split('\n')) {
      if (/^\S.* {2}# /.test(line)) expect(line.length, line).toBeLessThanOrEqual(80);
    }
  }
});

test('on Windows only our own commands are quoted for it', () => {
  const code = "```sh\nadreport run -o '{date}.csv'   # a day\ncurl -d '{}' $url\n```";

  const page = renderMarkdown(code, { width: 60, style: plainStyle, platform: 'win32' });

  expect(page).toBe(`adreport run -o "{date}.csv"   # a day\ncurl -d '{}' $url\n`);
});
