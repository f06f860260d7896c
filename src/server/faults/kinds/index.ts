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

/** The kinds as a list of them names each: `status` goes by any status. */
export const kindLabels = Object.keys(faultKinds).map((name) => (name === 'status' ? 'an HTTP status' : name));

/** The kind that goes by a name, with the name it is listed by. */
export function findKind(name: string): [type: string, kind: FaultKind | undefined] {
  const type = /^[2-5]\d\d$/.test(name) ? 'status' : name;
  return [type, name !== 'status' && Object.hasOwn(faultKinds, type) ? faultKinds[type] : undefined];
}
