import type { FaultKind } from '../fault-kind.ts';

export const failed: FaultKind = {
  meaning: 'the report ends as failed',
  reach: ['status'],
  read: () => ({ fate: 'failed' }),
};
