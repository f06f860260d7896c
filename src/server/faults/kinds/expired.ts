import type { FaultKind } from '../fault-kind.ts';

export const expired: FaultKind = {
  meaning: 'the report ends as expired',
  reach: ['status'],
  read: () => ({ fate: 'expired' }),
};
