import { jsonType } from '../../answer.ts';
import type { FaultKind } from '../fault-kind.ts';

/** Faults whose answer has status 200 and is not the service's. */
function answering(type: string, body: Buffer, meaning: string): FaultKind {
  return { meaning, read: () => ({ answer: () => ({ status: 200, type, body }) }) };
}

export const garbage = answering(
  jsonType,
  // It begins as the service's answers do.
  Buffer.from('{"response":{"status":"rea\u0000\u00ff\u00fe}}]', 'latin1'),
  'the answer is neither JSON nor UTF-8',
);

export const html = answering(
  'text/html; charset=utf-8',
  Buffer.from('<!doctype html><title>Sign in</title><p>Sign in to use this network.'),
  'the answer is the web page of a captive portal or a proxy',
);
