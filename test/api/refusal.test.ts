import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readHttpError } from '../../src/api/refusal.ts';
import { endpointNames, endpoints } from '../../src/contract/messages.ts';

test.each(endpointNames)(
  'the hint on forms is only for calls with a body: %s',
  async (endpoint) => {
    const body = Readable.from([Buffer.from('{}')]);
    const response = { status: 415, headers: {}, body, allowTime: () => {} };

    const error = await readHttpError(response, {
      endpoint,
      encoding: 'json',
      redact: (text) => text,
    });

    expect(error.hint?.includes('--encoding form') ?? false).toBe(endpoints[endpoint].takesBody);
  },
);
