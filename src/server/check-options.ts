import { UsageError } from '../errors.ts';
import type { LocalServerOptions } from './local-server.ts';

interface Kind {
  readonly words: string;
  readonly holds: (value: number) => boolean;
}

const duration: Kind = { words: 'milliseconds, 0 or more', holds: (value) => value >= 0 };
const counted: Kind = { words: 'a whole number, 1 or more', holds: (value) => Number.isInteger(value) && value >= 1 };

/** What the numbers among the options may be. A `NaN` would go unseen otherwise, and its reports would never be ready. */
const kinds = {
  port: { words: 'a port from 0 to 65535', holds: (value) => Number.isInteger(value) && value >= 0 && value <= 65_535 },
  seed: { words: 'a whole number', holds: Number.isInteger },
  scale: counted,
  delayMs: duration,
  polls: counted,
  tokenTtlMs: duration,
  reportTtlMs: duration,
  restateDays: { words: 'a whole number, 0 or more', holds: (value) => Number.isInteger(value) && value >= 0 },
  rateLimitPerSecond: counted,
} satisfies { readonly [Name in keyof LocalServerOptions]?: Kind };

/** Throws `UsageError` for a number that cannot be. */
export function checkOptions(options: LocalServerOptions): void {
  for (const [name, { words, holds }] of Object.entries<Kind>(kinds)) {
    const value = options[name as keyof typeof kinds];
    if (value === undefined || holds(value)) continue;
    throw new UsageError(`${name} cannot be ${String(value).slice(0, 40)}.`, { hint: `Give ${words}.` });
  }
}
