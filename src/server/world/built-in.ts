import {
  type Account,
  type Fact,
  type FactSource,
  type Fixtures,
  namesOf,
} from '../fixtures/fixtures.ts';
import accounts from './accounts.json' with { type: 'json' };
import { listCampaigns, type PlannedAdUnit, planAdUnits } from './ad-units.ts';
import { mix } from './random.ts';
import { drawFacts } from './traffic.ts';

/** Which data are built in. */
export interface BuiltInOptions {
  /** Any whole number; another seed is other traffic of the same campaigns. */
  readonly seed: number;
  /** Multiplies the number of facts; a whole number from 1. */
  readonly scale: number;
}

/**
 * The built-in data: accounts, of which `awkward` alone sees names that are hostile on purpose, campaigns, and facts for
 * every hour from 1970 to 9999 (`decisions.md` 7). The facts of an hour and ad unit are a pure function of both and the
 * seed, the same on every machine.
 */
export function builtInFixtures(options: BuiltInOptions): Fixtures {
  const campaigns = listCampaigns();
  const names = namesOf(campaigns);
  const adUnits = planAdUnits(names);

  return {
    accounts: accounts as readonly Account[],
    campaigns,
    names,
    facts: createFactSource(adUnits, options),
  };
}

function createFactSource(
  adUnits: readonly PlannedAdUnit[],
  { seed, scale }: BuiltInOptions,
): FactSource {
  const firstHours = adUnits.map(({ firstHour }) => firstHour);
  const lastHours = adUnits.map(({ lastHour }) => lastHour);

  return {
    firstHour: Math.min(...firstHours),
    lastHour: Math.max(...lastHours),
    *ofHour(hour, isWanted): Generator<Fact> {
      const hourBits = mix(seed, hour);
      for (const adUnit of adUnits) {
        const isDelivering = hour >= adUnit.firstHour && hour <= adUnit.lastHour;
        if (!isDelivering || !isWanted(adUnit.dimensions)) continue;
        yield* drawFacts(adUnit, hour, { hourBits, scale });
      }
    },
  };
}
