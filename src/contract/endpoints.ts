/** Method and path of each call, relative to the base URL (service specification, Endpoints). */
export const endpoints = {
  auth: { method: 'POST', path: '/auth-reporting' },
  buyer: { method: 'POST', path: '/buyer-reporting' },
  status: { method: 'POST', path: '/status-reporting' },
  download: { method: 'POST', path: '/download-reporting' },
  campaigns: { method: 'GET', path: '/campaigns' },
} as const;

/** The short names that faults and traces use for the calls. */
export type EndpointName = keyof typeof endpoints;
