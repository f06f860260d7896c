const zone = 'Europe/Paris';

/** Windows of a comparison: October 2026 and the month before. */
export const windows = {
  now: { since: 1_790_805_600, until: 1_793_487_599, end: 1_793_487_600, zone },
  before: { since: 1_788_213_600, until: 1_790_805_599, end: 1_790_805_600, zone },
};
