import agents from './agents.md';
import automation from './automation.md';
import folders from './folders.md';
import formats from './formats.md';
import localServer from './local-server.md';
import realService from './real-service.md';
import reports from './reports.md';
import settings from './settings.md';
import testing from './testing.md';
import view from './view.md';

/** Markdown by name, in the order of `help topics`. */
export const topics: Readonly<Record<string, string>> = {
  reports,
  formats,
  view,
  folders,
  automation,
  settings,
  'local-server': localServer,
  testing,
  'real-service': realService,
  agents,
};

/** Parts of topics that have names of their own: the topics of version 0.2. */
export const sections: Readonly<Record<string, Section>> = {
  periods: {
    topic: 'reports',
    headings: ['Periods', 'More: every period', 'More: --since and --until', 'More: weeks'],
  },
  filters: {
    topic: 'reports',
    headings: ['Filters', 'More: every filter', 'More: filters by name'],
  },
  pages: {
    topic: 'formats',
    headings: [
      'Pages',
      'More: what a page shows',
      'More: comparisons',
      'More: printing and PDF',
      'More: spreadsheets',
    ],
  },
  schedulers: {
    topic: 'automation',
    headings: [
      'More: systemd',
      'More: Windows Task Scheduler',
      'More: GNU parallel',
      'More: Slurm',
      'More: Airflow 3',
      'More: Dagster',
      'More: Docker image',
      'More: Compose',
      'More: Kubernetes',
    ],
  },
  databases: {
    topic: 'automation',
    headings: [
      'Databases',
      'More: PostgreSQL',
      'More: SQLite',
      'More: DuckDB',
      'More: a folder as a table',
      'More: a bucket',
      'More: Google Sheets',
    ],
  },
  faults: {
    topic: 'testing',
    headings: ['More: faults', 'More: your own responses', 'More: exit code for each fault'],
  },
  environment: {
    topic: 'settings',
    headings: ['More: environment variables', 'More: unattended sign-in'],
  },
  'exit-codes': { topic: 'settings', headings: ['Exit codes', 'More: errors as data'] },
  security: { topic: 'settings', headings: ['More: security'] },
};

interface Section {
  readonly topic: string;
  readonly headings: readonly string[];
}

/** Returns the title of a topic without its name, for lists. */
export function summaryOf(text: string): string {
  return /^# .*?: (.*)$/m.exec(text)?.[1] ?? '';
}

/** Returns a topic or a section; `undefined` for any other word. */
export function textOf(name: string): string | undefined {
  if (Object.hasOwn(topics, name)) return topics[name];
  const section = Object.hasOwn(sections, name) ? sections[name] : undefined;
  return section && textOfSection(section);
}

function textOfSection({ topic, headings }: Section): string {
  // A heading in a code block is not one: no recipe has a line that begins with `## `.
  const parts = (topics[topic] ?? '').split(/^(?=## )/m);
  const named = headings.map((heading) => parts.find((part) => part.startsWith(`## ${heading}\n`)));
  return `${named.join('')}\nThe whole topic: \`adreport help ${topic}\`\n`;
}
