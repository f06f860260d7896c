import type { FaultKind } from '../fault-kind.ts';
import { expired, failed, garbage, html, notDownloadable, status, stuck, unauthorized } from './answers.ts';
import { delay, reset, slow, truncate } from './connections.ts';

/** Every kind of fault, in the order of help: a new one is its file and its line here. */
export const faultKinds: Readonly<Record<string, FaultKind>> = {
  status,
  reset,
  garbage,
  html,
  unauthorized,
  'not-downloadable': notDownloadable,
  failed,
  expired,
  stuck,
  truncate,
  slow,
  delay,
};

/** The kinds that go by their own name. */
export const kindNames = Object.entries(faultKinds).flatMap(([name, { names }]) => (names ? [] : [name]));

/** The kind that goes by a name, with the name it is listed by. */
export function findKind(name: string): [type: string, kind: FaultKind] | undefined {
  return Object.entries(faultKinds).find(([own, { names }]) => (names ? names.pattern.test(name) : own === name));
}

/** A kind as a list of them names it: those of a pattern in words. */
export function kindLabel([name, { names }]: [name: string, kind: FaultKind]): string {
  return names?.label ?? name;
}
