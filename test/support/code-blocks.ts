import { readSections, topics } from '../../src/help/index.ts';

/** A code block of a help topic. */
export interface CodeBlock {
  readonly topic: string;

  /** Heading above it; by default the title of the topic. */
  readonly heading: string;

  /** Such as `sh`, `bash` or `python`. */
  readonly language: string;
  readonly text: string;
}

/** Lists the blocks of all topics, in order. */
export function readCodeBlocks(): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  for (const [topic, markdown] of Object.entries(topics)) {
    for (const { heading, text: section } of readSections(markdown)) {
      for (const [, language = '', text = ''] of section.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)) {
        blocks.push({ topic, heading, language, text });
      }
    }
  }
  return blocks;
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
