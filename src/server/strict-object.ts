import * as z from 'zod';
import { nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';

/** Builds a schema that rejects other members. The error suggests the closest known member. */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys' ? unknownKeys(keys as readonly string[], names) : undefined,
  });
}

function unknownKeys(keys: readonly string[], names: readonly string[]): string {
  return keys
    .slice(0, 10)
    .map((key) => unknownKey(key, names))
    .join(', ');
}

function unknownKey(key: string, names: readonly string[]): string {
  const guess = nearest(key, names);
  const advice = guess ? `did you mean ${guess}?` : `choose from ${names.join(', ')}`;
  return `unknown member ${quoted(key)}: ${advice}`;
}
