import type { FaultKind } from '../fault-kind.ts';

export const unauthorized: FaultKind = {
  meaning: 'the token dies',
  // A sign-in carries no token that could die.
  reach: ['status', 'buyer', 'download', 'campaigns'],
  // The service itself refuses the token then.
  read: () => ({ settles: true, before: (revokeToken) => revokeToken() }),
};
