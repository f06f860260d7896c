import { jsonType } from '../../http/answer.ts';
import { sendBytes } from '../../http/send-bytes.ts';
import type { FaultKind } from '../fault-kind.ts';

export const garbage: FaultKind = {
  meaning: 'the answer is neither JSON nor UTF-8',
  read: () => ({ answer: (call) => sendBytes(call, jsonType, bytes) }),
};

/** Begins as the service's answers do. */
const bytes = Buffer.from('{"response":{"status":"rea\u0000\u00ff\u00fe}}]', 'latin1');
