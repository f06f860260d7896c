import {
  type Account,
  collectNames,
  type FactSource,
  type Fixtures,
} from '../fixtures/fixtures.ts';
import accounts from './accounts.json' with { type: 'json' };
import { type AdUnitTraffic, listAdUnitTraffic, listCampaigns } from './ad-units.ts';
import { mixBits } from './random.ts';
import { drawFacts } from './traffic.ts';

export interface BuiltInOptions {
  /** Whole number. A different seed gives the same campaigns different traffic. */
  readonly seed: number;

  /** Whole number that multiplies the facts, at least 1. */
  readonly scale: number;
}

/**
 * Built-in data: accounts, campaigns, and facts for every hour from 1970 to 9999 (`decisions.md`
 * 7). Only the account `awkward` sees names that are hostile on purpose. Facts depend only on the
 * hour, the ad unit and the seed, and are the same on every machine.
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

/** Parts of the built-in data that do not depend on the seed. */
interface World extends Pick<Fixtures, 'campaigns' | 'names'> {
  readonly adUnits: readonly AdUnitTraffic[];
}

/** Cached, because test suites start a server for each test. */
let world: World | undefined;

function createWorld(): World {
  const campaigns = listCampaigns();
  const names = collectNames(campaigns);
  return { campaigns, names, adUnits: listAdUnitTraffic(names) };
}

function createFactSource(
  adUnits: readonly AdUnitTraffic[],
  { seed, scale }: BuiltInOptions,
): FactSource {
  const firstHours = adUnits.map(({ firstHour }) => firstHour);
  const lastHours = adUnits.map(({ lastHour }) => lastHour);

  return {
    firstHour: Math.min(...firstHours),
    lastHour: Math.max(...lastHours),
    inHour(hour, isSelected) {
      const hourBits = mixBits(seed, hour);
      return adUnits.flatMap((adUnit) => {
        const isDelivering = hour >= adUnit.firstHour && hour <= adUnit.lastHour;
        if (!isDelivering || !isSelected(adUnit.dimensions)) return [];
        return drawFacts(adUnit, hour, { hourBits, scale });
      });
    },
  };
}
