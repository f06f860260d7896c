import type { FaultKind } from '../fault-kind.ts';

export const stuck: FaultKind = {
  meaning: 'the report stays in progress for ever',
  reach: ['status'],
  read: () => ({ fate: 'progress' }),
};
