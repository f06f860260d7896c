import { sendBytes } from '../../http/send-bytes.ts';
import type { FaultKind } from '../fault-kind.ts';

export const html: FaultKind = {
  meaning: 'the answer is the web page of a captive portal or a proxy',
  read: () => ({ answer: (call) => sendBytes(call, 'text/html; charset=utf-8', signInPage) }),
};

const signInPage = Buffer.from('<!doctype html><title>Sign in</title><p>Sign in to use this network.');
