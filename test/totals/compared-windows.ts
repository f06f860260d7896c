/** Windows of a comparison: October and the month before. */
export const windows = {
  now: '2026-10-01T00:00:00+0200',
  before: '2026-09-01T00:00:00+0200',
  until: '2026-10-31T23:59:59+0100',
  zone: 'Europe/Paris',
};
