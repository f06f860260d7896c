import { ServiceError } from '../../service/service-error.ts';
import type { FaultKind } from '../fault-kind.ts';

export const notDownloadable: FaultKind = {
  meaning: 'the report is ready, and refused with 409 all the same',
  reach: ['download'],
  read: () => ({
    answer() {
      const headers = { 'retry-after': '1' };
      throw new ServiceError('REPORT_NOT_READY', 'The report is not ready for download.', { headers });
    },
  }),
};
