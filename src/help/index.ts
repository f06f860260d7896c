import type { Block } from '../ui/page.ts';

/** What `adreport help TOPIC` explains, as the root's help lists it. */
export interface Topic {
  readonly summary: string;
  /** Loads what writes it, which only its reader should pay for. */
  readonly load: () => Promise<{
    readonly writeTopic: (facts: TopicFacts) => readonly Block[] | Promise<readonly Block[]>;
  }>;
}

/** What a topic may want to know of the moment. */
export interface TopicFacts {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Every topic: a new one is its file and its line here. */
export const topics: Readonly<Record<string, Topic>> = {
  periods: {
    summary: 'windows: --period, --since, --until, and whose days they are',
    load: () => import('./periods.ts'),
  },
  filters: { summary: 'what a report can be narrowed to, by id and by name', load: () => import('./filters.ts') },
  output: { summary: 'files, formats, CSV dialects, and what goes to which stream', load: () => import('./output.ts') },
  'exit-codes': { summary: 'what each exit code means, and what to do', load: () => import('./exit-codes.ts') },
  environment: { summary: 'the variables that are read, and what beats what', load: () => import('./environment.ts') },
  cron: { summary: 'unattended jobs: saved reports, one a day, only what is missing', load: () => import('./cron.ts') },
  'local-server': {
    summary: 'the service on this machine: clock, faults, own data',
    load: () => import('./local-server.ts'),
  },
};
