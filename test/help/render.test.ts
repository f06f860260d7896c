import { expect, test } from 'vitest';
import { topics } from '../../src/help/index.ts';
import { renderMarkdown } from '../../src/help/render.ts';
import { plainStyle } from '../../src/ui/console.ts';
import { readCodeBlocks } from '../support/code-blocks.ts';

const text = `# Title

A paragraph with \`code\`, **weight** and [a link](other.md) that is too long for its line.

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
  expect(renderMarkdown(text, { width: 30, style: plainStyle })).toBe(`Title

A paragraph with code, weight
and a link that is too long
for its line.

  - one
  - two, which goes on

adreport run   # as it is

adreport view

  a    the meaning of a, which
       goes on
  b|c  short
`);
});

test('a table that cannot fit is a list', () => {
  const table =
    '| event | first column | second |\n|---|---|---|\n| something-long | another-long-one | a-third-one |';
  expect(renderMarkdown(table, { width: 30, style: plainStyle })).toBe(`  something-long
    first column:
    another-long-one
    second: a-third-one
`);
});

test('the code of every topic can be copied from the terminal as it is in the file', () => {
  const blocks = readCodeBlocks();
  expect(blocks.length).toBeGreaterThan(30);

  for (const { topic, text: code } of blocks) {
    const page = renderMarkdown(topics[topic] ?? '', { width: 80, style: plainStyle });
    expect(page).toContain(`\n\n${code}`);
  }
});
