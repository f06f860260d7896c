import fc from 'fast-check';

// A second calendar, without the program's code and libraries, to check the first against.

/** Zones whose clocks or dates change at odd hours, and any others. */
export const anyZone = fc.oneof(
  fc.constantFrom(
    ...['Europe/Paris', 'America/Sao_Paulo', 'America/St_Johns', 'Pacific/Apia'],
    ...['Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'],
  ),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
);

/** Both clock changes of some zones, and a day that one of them skipped. */
const changes = [
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2018-11-04T03:00:00Z',
  '2010-11-07T02:31:00Z',
  '2011-12-30T10:00:00Z',
  '2024-02-29T12:00:00Z',
  '2027-01-01T00:00:00Z',
];

/** Unix seconds from 2000 to 2040, often near a change. */
export const anyInstant = fc.oneof(
  fc.integer({ min: 946_684_800, max: 2_208_988_799 }),
  fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -90_000, max: 90_000 }))
    .map(([change, seconds]) => Date.parse(change) / 1_000 + seconds),
);

/** A calendar unit: its name as a period, and its first and last day. */
export interface NamedUnit {
  readonly name: string;
  readonly firstDay: string;
  readonly lastDay: string;
}

const dayMs = 86_400_000;
const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Returns the Monday of the ISO week that contains a day, in milliseconds as if in UTC. */
function mondayOf(day: string): number {
  const ms = Date.parse(day);
  return ms - ((new Date(ms).getUTCDay() + 6) % 7) * dayMs;
}

function isoWeek(day: string): NamedUnit {
  const monday = mondayOf(day);
  // The Thursday of a week is in the year of the week.
  const thursday = new Date(monday + 3 * dayMs);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * dayMs)) + 1;
  return {
    name: `${year}-W${String(week).padStart(2, '0')}`,
    firstDay: toDay(monday),
    lastDay: toDay(monday + 6 * dayMs),
  };
}

function months(day: string, count: number, name: (year: number, index: number) => string) {
  const [year = 0, month = 0] = day.split('-').map(Number);
  const index = Math.floor((month - 1) / count);
  const first = Date.UTC(year, index * count, 1);
  const next = Date.UTC(year, (index + 1) * count, 1);
  return { name: name(year, index), firstDay: toDay(first), lastDay: toDay(next - dayMs) };
}

const two = (number: number): string => String(number).padStart(2, '0');

export const units: Readonly<Record<string, (day: string) => NamedUnit>> = {
  day: (day) => ({ name: day, firstDay: day, lastDay: day }),
  week: isoWeek,
  month: (day) => months(day, 1, (year, index) => `${year}-${two(index + 1)}`),
  quarter: (day) => months(day, 3, (year, index) => `${year}-Q${index + 1}`),
  year: (day) => months(day, 12, String),
};

/** Finds the unit that contains a day, for a random kind of unit. */
export const unitByDate = fc.constantFrom(...Object.values(units));
