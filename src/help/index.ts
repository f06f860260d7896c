import automation from './automation.md';
import folders from './folders.md';
import formats from './formats.md';
import realService from './real-service.md';
import reports from './reports.md';
import settings from './settings.md';
import testing from './testing.md';
import view from './view.md';

/** Topics as Markdown, in the order that help lists them. */
export const topics: Readonly<Record<string, string>> = {
  reports,
  formats,
  folders,
  view,
  automation,
  settings,
  testing,
  'real-service': realService,
};

/** Returns a topic as Markdown, or `undefined` if there is no such topic. */
export function findTopic(name: string): string | undefined {
  return Object.hasOwn(topics, name) ? topics[name] : undefined;
}

/** A section of a topic. `text` includes the heading. */
export interface Section {
  readonly heading: string;
  readonly text: string;
}

/** Splits a topic at its headings. A `#` comment in a code block is not a heading. */
export function readSections(topic: string): Section[] {
  const sections: Section[] = [];
  let isInCode = false;
  for (const line of topic.split('\n')) {
    if (line.startsWith('```')) isInCode = !isInCode;
    const [, heading] = (!isInCode && /^#+ (.*)/.exec(line)) || [];
    const last = sections.at(-1);

    if (heading !== undefined) sections.push({ heading, text: line });
    else if (last) sections[sections.length - 1] = { ...last, text: `${last.text}\n${line}` };
  }
  return sections;
}
