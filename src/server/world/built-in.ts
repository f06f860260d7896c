import {
  type Account,
  collectNames,
  type Fact,
  type FactSource,
  type Fixtures,
} from '../fixtures/fixtures.ts';
import accounts from './accounts.json' with { type: 'json' };
import { type AdUnitTraffic, listAdUnitTraffic, listCampaigns } from './ad-units.ts';
import { mixBits } from './random.ts';
import { drawFacts } from './traffic.ts';

export interface BuiltInOptions {
  /** Whole number. Another seed gives other traffic for the same campaigns. */
  readonly seed: number;

  /** Multiplies the number of facts; a whole number, at least 1. */
  readonly scale: number;
}

/**
 * Built-in data: accounts, campaigns, and facts for every hour from 1970 to 9999 (`decisions.md`
 * 7). Only the account `awkward` sees names that are hostile on purpose. The facts of an hour and
 * ad unit depend only on both and the seed, and are the same on every machine.
 */
export function builtInFixtures(options: BuiltInOptions): Fixtures {
  world ??= createWorld();
  const { campaigns, names, adUnits } = world;
  return {
    accounts: accounts as readonly Account[],
    campaigns,
    names,
    facts: createFactSource(adUnits, options),
  };
}

/** The part of the data that does not depend on the seed. */
interface World extends Pick<Fixtures, 'campaigns' | 'names'> {
  readonly adUnits: readonly AdUnitTraffic[];
}

/** Created once per process, because test suites start a server for each test. */
let world: World | undefined;

function createWorld(): World {
  const campaigns = listCampaigns();
  const names = collectNames(campaigns);
  return { campaigns, names, adUnits: listAdUnitTraffic(names) };
}

/** Facts of an hour by index of the ad unit; `undefined` until needed. */
type HourOfFacts = (readonly Fact[] | undefined)[];

/** Facts kept in memory, which take about 25 MB. */
const maxCachedFacts = 60_000;

/** Hours by seed, scale and hour, because test suites request the same days in each test. */
const cachedHours = new Map<string, HourOfFacts>();
let cachedFacts = 0;

function createFactSource(
  adUnits: readonly AdUnitTraffic[],
  { seed, scale }: BuiltInOptions,
): FactSource {
  const firstHours = adUnits.map(({ firstHour }) => firstHour);
  const lastHours = adUnits.map(({ lastHour }) => lastHour);

  return {
    firstHour: Math.min(...firstHours),
    lastHour: Math.max(...lastHours),
    ofHour(hour, isSelected) {
      const hourBits = mixBits(seed, hour);
      const drawn = cachedHour(`${seed} ${scale} ${hour}`);
      const selected: Fact[] = [];

      for (const [index, adUnit] of adUnits.entries()) {
        const isDelivering = hour >= adUnit.firstHour && hour <= adUnit.lastHour;
        if (!isDelivering || !isSelected(adUnit.dimensions)) continue;

        const facts = drawn[index] ?? drawFacts(adUnit, hour, { hourBits, scale });
        if (!drawn[index]) cachedFacts += facts.length;
        drawn[index] = facts;
        for (const fact of facts) selected.push(fact);
      }

      return selected;
    },
  };
}

function cachedHour(key: string): HourOfFacts {
  if (cachedFacts > maxCachedFacts) {
    cachedHours.clear();
    cachedFacts = 0;
  }

  const drawn = cachedHours.get(key) ?? [];
  cachedHours.set(key, drawn);
  return drawn;
}
