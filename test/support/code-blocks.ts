import { topics } from '../../src/help/index.ts';

/** A code block of a help topic. */
export interface CodeBlock {
  readonly topic: string;

  /** Heading above it; by default the title of the topic. */
  readonly heading: string;

  /** Such as `sh`, `bash` or `python`. */
  readonly language: string;
  readonly text: string;

  /** Sentences above it in the topic and the section. */
  readonly introduction: string;
}

/** Lists the blocks of all topics, in order. */
export function readCodeBlocks(): CodeBlock[] {
  return Object.entries(topics).flatMap(([topic, markdown]) => blocksOfTopic(topic, markdown));
}

/** Throws if the topic has no such block, or several. */
export function findCodeBlock(topic: string, heading: string, language: string): CodeBlock {
  const blocks = readCodeBlocks().filter(
    (block) => block.topic === topic && block.heading === heading && block.language === language,
  );
  const [only] = blocks;
  if (!only || blocks.length > 1) {
    throw new Error(`${blocks.length} blocks of ${language} under “${heading}” in ${topic}`);
  }
  return only;
}

function blocksOfTopic(topic: string, markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const pieces = markdown.split(/^(```\w+\n[\s\S]*?^```\n)/m);
  let heading = '';
  let opening = '';
  let section = '';

  for (const piece of pieces) {
    const code = /^```(\w+)\n([\s\S]*)```\n$/.exec(piece);

    if (code) {
      const [, language = '', text = ''] = code;
      const introduction = `${opening}\n${section}`;
      blocks.push({ topic, heading, language, text, introduction });
      continue;
    }

    for (const line of piece.split('\n')) {
      const [, marks = '', title = ''] = /^(#+) (.*)$/.exec(line) ?? [];
      if (marks !== '') {
        heading = title;
        if (marks === '##' && opening === '') opening = section;
        section = '';
      } else {
        section += `${line}\n`;
      }
    }
  }

  return blocks;
}
