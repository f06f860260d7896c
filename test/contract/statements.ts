import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a text of the contract states, one statement an entry: each row of its tables and each sentence beside them, as
 * text without marks of layout. Headings, and the head rows of tables, state nothing.
 */
export function statementsOf(document: string): string[] {
  const lines = readFileSync(join(import.meta.dirname, 'spec', document), 'utf8').split('\n');
  const statements: string[] = [];
  let paragraph = '';
  const endParagraph = (): void => {
    statements.push(...sentencesOf(paragraph));
    paragraph = '';
  };
  for (const [index, line] of lines.entries()) {
    const isItem = /^(\d+\.|-) /.test(line);
    const isRow = line.startsWith('|');
    if (line.trim() === '' || line.startsWith('#') || isItem || isRow) endParagraph();
    if (isRow && !isHeadOrRule(line, lines[index + 1])) statements.push(cellsOf(line));
    else if (!isRow && !line.startsWith('#')) paragraph += ` ${line.replace(/^(\d+\.|-) /, '')}`;
  }
  endParagraph();
  return statements;
}

function isHeadOrRule(line: string, next: string | undefined): boolean {
  const rule = /^\|[-|: ]+\|$/;
  return rule.test(line) || rule.test(next ?? '');
}

function cellsOf(row: string): string {
  const cells = row.split('|').map((cell) => cell.trim());
  return cells.filter((cell) => cell !== '').join(' · ');
}

/** Sentences end with a full stop before a capital letter, a name or an emphasis. */
function sentencesOf(paragraph: string): string[] {
  const text = paragraph.replace(/\s+/g, ' ').trim();
  return text === '' ? [] : text.split(/(?<=[a-z0-9)`>"*][.]\*{0,2}) (?=[A-Z*`“])/);
}
