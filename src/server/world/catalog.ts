import { defaultZone } from '../../contract/messages.ts';
import type { DimensionName } from '../../contract/vocabulary.ts';
import { instantOfWallTime } from '../calendar.ts';
import { dimensionColumns, type FixtureCampaign, hourSeconds, type Member, MemberLists } from '../fixtures/fixtures.ts';
import campaigns from './campaigns.json' with { type: 'json' };
import inventory from './inventory.json' with { type: 'json' };
import { spread } from './random.ts';

/**
 * The built-in data but for its facts. A line of `inventory.json` is a list of fields with ` | ` between them; `-` is
 * unknown, and a field that begins with digits is an id with its name (`3017382 France`: ids of places are GeoNames').
 */

/** The members of several dimensions that belong together: a city is always in its country. */
export type Trait = { readonly [Name in DimensionName]?: Member };

/** Something that a fact may be of, by chance. */
export interface Choice {
  readonly trait: Trait;
  readonly weight: number;
  /** What is drawn next: of a device its apps, of an app its sub-publishers, of a place its carriers. */
  readonly next: readonly Choice[];
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
  readonly creatives: readonly Choice[];
  readonly devices: readonly Choice[];
  readonly places: readonly Choice[];
}

const fieldsOf = (line = ''): string[] => line.split(' | ');

const advertisers = new Map(
  inventory.advertisers.map(fieldsOf).map(([id = '', name = '', billingEntity = '']) => [id, { name, billingEntity }]),
);

/**
 * The campaigns in the order of `GET /campaigns`. In the file `from` and `to` are Paris wall time, the end included;
 * `countries` and `systems` are lists with commas, and everywhere where empty; prices are in cents; the `limit` of an ad
 * unit is its type and value.
 */
export const builtInCampaigns: readonly FixtureCampaign[] = campaigns.map((plan) => {
  const { name: advertiserName = '', billingEntity = '' } = advertisers.get(plan.advertiser) ?? {};
  return {
    ...{ advertiserId: plan.advertiser, advertiserName, billingEntity },
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
  const traitOf = (texts: { readonly [Name in DimensionName]?: string | undefined }): Trait => {
    const entries = Object.entries(texts).map(([name, text = '-']) => {
      const { dimension, byId } = dimensionColumns.find((column) => column.dimension === name) ?? {};
      const [, id = null, value = text] = (byId && /^(\d+) (.+)$/.exec(text)) || [];
      return [name, dimension && members.add(dimension, id, text === '-' ? null : value)];
    });
    return Object.fromEntries(entries);
  };
  const choiceOf = (trait: Trait, weight: string | undefined = '1', next: readonly Choice[] = []): Choice => ({
    trait,
    weight: Number(weight),
    next: spread(next),
  });

  const publishers = inventory.publishers.map(fieldsOf).map(([id, network, ...names]) => ({
    trait: traitOf({ PUBLISHERID: id, ADNETWORK: network }),
    names,
    id,
  }));
  const apps = inventory.apps.map(fieldsOf).map(([platform, bundleId, publisherId, weight]) => {
    const publisher = publishers.find(({ id }) => id === publisherId);
    const subPublishers = publisher?.names.map((name) => choiceOf(traitOf({ SUBPUBLISHERID: name })));
    const trait = { ...traitOf({ PLATFORM: platform, BUNDLEID: bundleId }), ...publisher?.trait };
    return { platform, choice: choiceOf(trait, weight, subPublishers) };
  });
  const devices = inventory.devices.map(fieldsOf).map(([os = '', type, brand, model, weight]) => {
    // Apps are of the device's system, and sites of any.
    const own = apps.filter(({ platform }) => platform === 'web' || os.toLowerCase().endsWith(` ${platform}`));
    const trait = traitOf({ OS: os, DEVICETYPE: type, DEVICEBRAND: brand, DEVICEMODEL: model });
    const choices = own.map(({ choice }) => choice);
    return choiceOf(trait, weight, choices);
  });
  const carriers = inventory.carriers.map(fieldsOf);
  const places = inventory.places.map(fieldsOf).map(([country, region, department, city, postalcode, weight]) => {
    const own = carriers.filter(([where]) => country?.endsWith(` ${where}`));
    const here = own.length > 0 ? own : carriers.filter(([where]) => where === 'elsewhere');
    const choices = here.map(([, name, share]) => choiceOf(traitOf({ CARRIER: name }), share));
    const area = { COUNTRY: country, REGION: region, DEPARTMENT: department, CITY: city, POSTALCODE: postalcode };
    return choiceOf(traitOf(area), weight, choices);
  });

  const adUnits = campaigns.flatMap((plan): AdUnitPlan[] => {
    const { name: advertiser = '', billingEntity = '' } = advertisers.get(plan.advertiser) ?? {};
    const isShown = (list: string, member: Member | undefined): boolean =>
      list === '' || list.split(',').includes(member?.values[0] ?? '');
    const ofCampaign = {
      span: spanOf(plan),
      cpm: plan.cpm,
      cpc: plan.cpc,
      devices: spread(devices.filter(({ trait }) => isShown(plan.systems, trait.OS))),
      places: spread(places.filter(({ trait }) => isShown(plan.countries, trait.COUNTRY))),
    };
    return plan.units.map(({ id, name, format, volume, creatives, limit }) => {
      const [listed, clickRate] = fieldsOf(inventory.formats.find((line) => line.includes(` ${format} |`)));
      const trait = {
        ADVERTISER: members.add('ADVERTISER', plan.advertiser, advertiser, billingEntity),
        CAMPAIGN: members.add('CAMPAIGN', plan.id, plan.id, plan.name),
        ADUNIT: members.add('ADUNIT', id, id, name, ...limit.split(' ')),
        ...traitOf({ FORMAT: listed }),
      };
      const ofUnit = Array.from({ length: creatives }, (_, i) => choiceOf(traitOf({ CREATIVE: `${id}${i + 1}` })));
      return {
        ...ofCampaign,
        trait,
        seed: Number(id),
        volume,
        clickRate: Number(clickRate),
        creatives: spread(ofUnit),
      };
    });
  });
  return { members, adUnits };
}

/** The hours whose first instant lies in a campaign. */
function spanOf({ from, to }: { readonly from: string; readonly to: string }): AdUnitPlan['span'] {
  const hours = (wallTime: string): number =>
    instantOfWallTime(Date.parse(`${wallTime.replace(' ', 'T')}Z`) / 1_000, defaultZone, 'first') / hourSeconds;
  return [Math.ceil(hours(from)), Math.floor(hours(to))];
}
