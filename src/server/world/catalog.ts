import { defaultZone } from '../../contract/messages.ts';
import type { DimensionName } from '../../contract/vocabulary.ts';
import { instantOfWallTime } from '../calendar.ts';
import {
  adUnitMembers,
  dimensionColumns,
  type FixtureCampaign,
  hourSeconds,
  type Member,
  MemberLists,
} from '../fixtures/fixtures.ts';
import campaigns from './campaigns.json' with { type: 'json' };
import inventory from './inventory.json' with { type: 'json' };
import { spread } from './random.ts';

/** The built-in data but for its facts. */

/** The members of several dimensions that belong together: a city is always in its country. */
export type Trait = { readonly [Name in DimensionName]?: Member };

/** Something that a fact may be of, by chance. */
interface Choice {
  readonly trait: Trait;
  readonly weight: number;
  /** What is drawn next: of a device its apps, of an app its sub-publishers, of a place its carriers. */
  readonly next: readonly Choice[];
}

const fieldsOf = (line: string): string[] => line.split(' | ');

/**
 * The rows of a list in `inventory.json`. A line is a list of fields with ` | ` between them. Each of its fields with
 * a weight, `iPhone 15 = 12`, makes a row of the fields without one, itself and the weight.
 */
function rowsOf(lines: readonly string[]): string[][] {
  return lines.map(fieldsOf).flatMap((fields) => {
    const alike = fields.filter((field) => !field.includes(' = '));
    return fields.slice(alike.length).map((field) => [...alike, ...field.split(' = ')]);
  });
}

/**
 * The campaigns in the order of `GET /campaigns`. In the file `from` and `to` are Paris wall time, the end included;
 * `countries` and `systems` are lists with commas, and everywhere where empty; prices are in cents; the `limit` of an ad
 * unit is its type and value.
 */
export const builtInCampaigns: readonly FixtureCampaign[] = campaigns.map((plan) => {
  const line = inventory.advertisers.find((candidate) => candidate.startsWith(`${plan.advertiser} `)) ?? '';
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

/** An ad unit: when it delivers, how much, at what price, and what its facts are drawn from. */
export type AdUnitPlan = ReturnType<typeof builtInCatalog>['adUnits'][number];

/** The members of every dimension of the built-in data, and its ad units. */
export function builtInCatalog() {
  const members = new MemberLists();
  /** The members of texts: `-` is unknown, and digits in front of a name are its id (those of places are GeoNames'). */
  const traitOf = (texts: { readonly [Name in DimensionName]?: string | undefined }): Trait => {
    const entries = Object.entries(texts).map(([name, text = '-']) => {
      const { dimension = 'OS', byId } = dimensionColumns.find((column) => column.dimension === name) ?? {};
      const [, id = null, value = text] = (byId && /^(\d+) (.+)$/.exec(text)) || [];
      return [name, members.add(dimension, id, text === '-' ? null : value)];
    });
    return Object.fromEntries(entries);
  };
  const choiceOf = (trait: Trait, weight = '1', next: readonly Choice[] = []): Choice => ({
    trait,
    weight: Number(weight),
    next: spread(next),
  });

  const publishers = inventory.publishers.map(fieldsOf);
  const apps = rowsOf(inventory.apps).map(([platform, publisherId, bundleId, weight]) => {
    const [, network, ...names] = publishers.find(([id]) => id === publisherId) ?? [];
    const subPublishers = names.map((name) => choiceOf(traitOf({ SUBPUBLISHERID: name })));
    const texts = { PLATFORM: platform, BUNDLEID: bundleId, PUBLISHERID: publisherId, ADNETWORK: network };
    return { platform, choice: choiceOf(traitOf(texts), weight, subPublishers) };
  });
  const devices = rowsOf(inventory.devices).map(([os = '', type, brand, model, weight]) => {
    // Apps are of the device's system, and sites of any.
    const own = apps.filter(({ platform }) => platform === 'web' || os.toLowerCase().endsWith(` ${platform}`));
    const trait = traitOf({ OS: os, DEVICETYPE: type, DEVICEBRAND: brand, DEVICEMODEL: model });
    const choices = own.map(({ choice }) => choice);
    return choiceOf(trait, weight, choices);
  });
  const carriers = rowsOf(inventory.carriers);
  const places = rowsOf(inventory.places).map(([country, region, department, city, postalcode, weight]) => {
    const own = carriers.filter(([where]) => country?.endsWith(` ${where}`));
    const here = own.length > 0 ? own : carriers.filter(([where]) => where === 'elsewhere');
    const choices = here.map(([, name, share]) => choiceOf(traitOf({ CARRIER: name }), share));
    const area = { COUNTRY: country, REGION: region, DEPARTMENT: department, CITY: city, POSTALCODE: postalcode };
    return choiceOf(traitOf(area), weight, choices);
  });

  const ofAdUnits = adUnitMembers(builtInCampaigns, members);
  const isShown = (list: string, member: Member | undefined): boolean =>
    list === '' || list.split(',').includes(member?.values[0] ?? '');
  const adUnits = campaigns.flatMap(({ from, to, cpm, cpc, systems, countries, units }) => {
    const ofCampaign = {
      // The hours whose first instant lies in the campaign, both included.
      firstHour: Math.ceil(hoursOf(from)),
      lastHour: Math.floor(hoursOf(to)),
      // Cents for a thousand displays, and for a click.
      cpm,
      cpc,
      devices: spread(devices.filter(({ trait }) => isShown(systems, trait.OS))),
      places: spread(places.filter(({ trait }) => isShown(countries, trait.COUNTRY))),
    };
    return units.map(({ id, format, volume, creatives }) => {
      const [listed, clickRate] = rowsOf(inventory.formats).find(([name]) => name?.endsWith(` ${format}`)) ?? [];
      const choices = Array.from({ length: creatives }, (_, i) => choiceOf(traitOf({ CREATIVE: `${id}${i + 1}` })));
      return {
        ...ofCampaign,
        trait: { ...ofAdUnits.get(id), ...traitOf({ FORMAT: listed }) } as Trait,
        // One more ad unit changes the facts of no other.
        seed: Number(id),
        // Requests of an hour at its best, and clicks of a thousand displays.
        volume,
        clickRate: Number(clickRate),
        creatives: spread(choices),
      };
    });
  });
  return { members, adUnits };
}

/** Hours since 1970 of a Paris wall time. */
function hoursOf(wallTime: string): number {
  const seconds = Date.parse(`${wallTime.replace(' ', 'T')}Z`) / 1_000;
  return instantOfWallTime(seconds, defaultZone, 'first') / hourSeconds;
}
