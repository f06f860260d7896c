import { randomFillSync } from 'node:crypto';

const idBytes = 16;
/** Chance is asked for by the page: asked for an ID at a time, it would cost more than the rest of a call. */
const pool = Buffer.alloc(65_536);
let at = pool.length;

/** 32 hexadecimal digits that nobody can guess. */
export function randomId(): string {
  if (at === pool.length) {
    randomFillSync(pool);
    at = 0;
  }
  at += idBytes;
  return pool.toString('hex', at - idBytes, at);
}
