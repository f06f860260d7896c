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
 * The built-in data: accounts, of which `awkward` alone sees names that are hostile on purpose,
 * campaigns, and facts for every hour from 1970 to 9999 (`decisions.md` 7). The facts of an hour
 * and ad unit are a pure function of both and the seed, the same on every machine.
 */
export function builtInFixtures(options: BuiltInOptions): Fixtures {
  plannedWorld ??= planWorld();
  const { campaigns, names, adUnits } = plannedWorld;
  return {
    accounts: accounts as readonly Account[],
    campaigns,
    names,
    facts: createFactSource(adUnits, options),
  };
}

/** What is the same for every seed. */
interface PlannedWorld extends Pick<Fixtures, 'campaigns' | 'names'> {
  readonly adUnits: readonly PlannedAdUnit[];
}

/** It is planned once a process, because test suites start a server for each test. */
let plannedWorld: PlannedWorld | undefined;

function planWorld(): PlannedWorld {
  const campaigns = listCampaigns();
  const names = namesOf(campaigns);
  return { campaigns, names, adUnits: planAdUnits(names) };
}

/** The facts of an hour, by the index of the ad unit, as far as anybody has asked for them. */
type HourOfFacts = (readonly Fact[] | undefined)[];

/** So many facts are kept, which take some 25 MB. */
const keptFacts = 60_000;

/**
 * What was drawn lately in this process, by seed, scale and hour, because test suites ask for the
 * same days each time.
 */
const drawnHours = new Map<string, HourOfFacts>();
let drawnFacts = 0;

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
      const drawn = drawnHourOf(`${seed} ${scale} ${hour}`);
      for (const [index, adUnit] of adUnits.entries()) {
        const isDelivering = hour >= adUnit.firstHour && hour <= adUnit.lastHour;
        if (!isDelivering || !isWanted(adUnit.dimensions)) continue;

        const facts = drawn[index] ?? drawFacts(adUnit, hour, { hourBits, scale });
        if (!drawn[index]) drawnFacts += facts.length;
        drawn[index] = facts;
        yield* facts;
      }
    },
  };
}

function drawnHourOf(key: string): HourOfFacts {
  if (drawnFacts > keptFacts) {
    drawnHours.clear();
    drawnFacts = 0;
  }

  const drawn = drawnHours.get(key) ?? [];
  drawnHours.set(key, drawn);
  return drawn;
}
