import { defaultZone } from '../../contract/messages.ts';
import type { DimensionName } from '../../contract/vocabulary.ts';
import { instantOfWallTime } from '../calendar.ts';
import { hourSeconds, type Member, MemberLists } from '../fixtures/facts.ts';
import type { FixtureCampaign } from '../fixtures/fixtures.ts';
import advertisers from './advertisers.json' with { type: 'json' };
import campaigns from './campaigns.json' with { type: 'json' };
import inventory from './inventory.json' with { type: 'json' };
import places from './places.json' with { type: 'json' };
import { spread, type Weighted } from './random.ts';

/**
 * The built-in data but for its facts. A line of the data files is a list of fields with ` | ` between them; `-` is
 * unknown, and a field that begins with digits is an id with its name (`3017382 France`: ids of places are GeoNames').
 */

/** The members of several dimensions that belong together: a city is always in its country. */
export type Trait = { readonly [Name in DimensionName]?: Member };

interface Device extends Trait {
  /** What may be drawn with it: apps of its system, and sites on any. */
  readonly apps: readonly App[];
}

interface App extends Trait {
  readonly subPublishers: readonly Trait[];
}

interface Place extends Trait {
  readonly carriers: readonly Trait[];
}

/** An ad unit: when it delivers, how much, at what price, and what its facts are drawn from. */
export interface AdUnitPlan {
  readonly trait: Trait;
  /** Seeds its facts. It is the ad unit's id, so that one more ad unit changes the facts of no other. */
  readonly seed: number;
  /** Hours from the first to the last, both included. */
  readonly span: readonly [firstHour: number, lastHour: number];
  /** Requests of an hour at its best. */
  readonly volume: number;
  /** Cents for a thousand displays, and for a click. */
  readonly cpm: number;
  readonly cpc: number;
  /** Clicks of a thousand displays. */
  readonly clickRate: number;
  readonly creatives: readonly Trait[];
  readonly devices: readonly Device[];
  readonly places: readonly Place[];
}

/**
 * A campaign of the data: `from` and `to` are Paris wall time, the end included; `countries` and `systems` are
 * lists with commas, and everywhere where empty; prices are in cents; the `limit` of an ad unit is its type and value.
 */
type CampaignPlan = (typeof campaigns)[number];

/** The campaigns in the order of `GET /campaigns`. */
export const builtInCampaigns: readonly FixtureCampaign[] = campaigns.map((plan) => {
  const line = advertisers.find((candidate) => candidate.startsWith(`${plan.advertiser} `));
  const [advertiserId = '', advertiserName = '', billingEntity = ''] = fieldsOf(line);
  return {
    ...{ advertiserId, advertiserName, billingEntity },
    ...{ campaignId: plan.id, campaignName: plan.name, campaignStartDate: plan.from, campaignEndDate: plan.to },
    adunits: plan.units.map(({ id, name, limit }) => {
      const [adUnitLimitType = '', adUnitLimitValue = ''] = limit.split(' ');
      return { adunitId: id, adunitName: name, adUnitLimitType, adUnitLimitValue };
    }),
  };
});

/** The members of every dimension of the built-in data, and its ad units. */
export function builtInCatalog(): { readonly members: MemberLists; readonly adUnits: readonly AdUnitPlan[] } {
  const members = new MemberLists();
  const named = (dimension: DimensionName, text = '-'): Trait => {
    const [, id = null, name = text] = /^(\d+) (.+)$/.exec(text) ?? [];
    return { [dimension]: members.add(dimension, id, text === '-' ? null : name) };
  };
  const plain = (dimension: DimensionName, text = '-'): Trait => ({
    [dimension]: members.add(dimension, null, text === '-' ? null : text),
  });

  const subPublishersOf = new Map(
    inventory.publishers.map((line) => {
      const [id = '', , ...names] = fieldsOf(line);
      return [id, spread(names.map((name): Weighted<Trait> => [plain('SUBPUBLISHERID', name), 1]))];
    }),
  );
  const apps = inventory.apps.map((line): Weighted<App> => {
    const [platform = '', bundleId, publisher = '', weight] = fieldsOf(line);
    const [, network] = fieldsOf(inventory.publishers.find((candidate) => candidate.startsWith(`${publisher} `)));
    const trait = {
      ...plain('PLATFORM', platform),
      ...plain('BUNDLEID', bundleId),
      ...plain('PUBLISHERID', publisher),
      ...named('ADNETWORK', network),
    };
    return [{ ...trait, subPublishers: subPublishersOf.get(publisher) ?? [] }, Number(weight)];
  });
  const devices = inventory.devices.map((line): Weighted<Device> => {
    const [system = '', type, brand, model, weight] = fieldsOf(line);
    const own = apps.filter(([{ PLATFORM }]) => {
      const [platform] = PLATFORM?.values ?? [];
      return platform === 'web' || system.toLowerCase().endsWith(` ${platform}`);
    });
    const trait = { ...named('OS', system), ...named('DEVICETYPE', type), ...named('DEVICEBRAND', brand) };
    return [{ ...trait, ...plain('DEVICEMODEL', model), apps: spread(own) }, Number(weight)];
  });
  const carriersOf = (country: string | null): readonly Trait[] => {
    const lines = inventory.carriers.map(fieldsOf);
    const own = lines.filter(([where]) => where === country);
    return spread(
      (own.length > 0 ? own : lines.filter(([where]) => where === 'elsewhere')).map(
        ([, name, weight]): Weighted<Trait> => [plain('CARRIER', name), Number(weight)],
      ),
    );
  };
  const everywhere = places.map((line): Weighted<Place> => {
    const [country, region, department, city, postalcode, weight] = fieldsOf(line);
    const trait = { ...named('COUNTRY', country), ...named('REGION', region), ...named('DEPARTMENT', department) };
    const carriers = carriersOf(trait.COUNTRY?.values[0] ?? null);
    return [{ ...trait, ...named('CITY', city), ...named('POSTALCODE', postalcode), carriers }, Number(weight)];
  });

  const adUnits = campaigns.flatMap((plan): AdUnitPlan[] => {
    const [advertiserId = '', ...advertiser] = fieldsOf(advertisers.find((line) => line.startsWith(plan.advertiser)));
    const isShown = (list: string, member: Member | undefined): boolean =>
      list === '' || list.split(',').includes(member?.values[0] ?? '');
    const ofCampaign = {
      span: spanOf(plan),
      cpm: plan.cpm,
      cpc: plan.cpc,
      devices: spread(devices.filter(([{ OS }]) => isShown(plan.systems, OS))),
      places: spread(everywhere.filter(([{ COUNTRY }]) => isShown(plan.countries, COUNTRY))),
    };
    return plan.units.map(({ id, name, format, volume, creatives, limit }) => {
      const [listed, clickRate] = fieldsOf(inventory.formats.find((line) => line.includes(` ${format} |`)));
      const trait = {
        ADVERTISER: members.add('ADVERTISER', advertiserId, ...advertiser),
        CAMPAIGN: members.add('CAMPAIGN', plan.id, plan.id, plan.name),
        ADUNIT: members.add('ADUNIT', id, id, name, ...limit.split(' ')),
        ...named('FORMAT', listed),
      };
      const creativeIds = Array.from({ length: creatives }, (_, index) => `${id}${index + 1}`);
      return {
        ...ofCampaign,
        trait,
        seed: Number(id),
        volume,
        clickRate: Number(clickRate),
        creatives: spread(creativeIds.map((creative): Weighted<Trait> => [plain('CREATIVE', creative), 1])),
      };
    });
  });
  return { members, adUnits };
}

function fieldsOf(line = ''): string[] {
  return line.split(' | ');
}

/** The hours whose first instant lies in the campaign. */
function spanOf({ from, to }: CampaignPlan): readonly [firstHour: number, lastHour: number] {
  const hours = (wallTime: string): number =>
    instantOfWallTime(Date.parse(`${wallTime.replace(' ', 'T')}Z`) / 1_000, defaultZone, 'first') / hourSeconds;
  return [Math.ceil(hours(from)), Math.floor(hours(to))];
}
