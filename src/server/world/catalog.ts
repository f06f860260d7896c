import { defaultZone } from '../../contract/messages.ts';
import type { DimensionName } from '../../contract/vocabulary.ts';
import { instantOfWallTime } from '../calendar.ts';
import { type Dimensions, dimensionColumns, type FixtureCampaign, hourSeconds, namesOf } from '../fixtures/fixtures.ts';
import campaigns from './campaigns.json' with { type: 'json' };
import inventory from './inventory.json' with { type: 'json' };
import { spread } from './random.ts';

/** The built-in data but for its facts. */

/** Something that a fact may be of, by chance: a device, a place. */
interface Choice {
  /** Those that belong together, and those of what was drawn before: a city is always in its country. */
  readonly dimensions: Partial<Dimensions>;
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

/** The names of everything in the built-in data, and its ad units. */
export function builtInCatalog() {
  const names = namesOf(builtInCampaigns);

  /** What texts say: `-` is unknown, and digits in front of a name are its id (those of places are GeoNames'). */
  function choiceOf(
    texts: { readonly [Name in DimensionName]?: string | undefined },
    weight = '1',
    next: readonly Choice[] = [],
  ): Choice {
    const entries = Object.entries(texts).map(([dimension, text = '-']) => {
      const column = dimensionColumns.find((candidate) => candidate.dimension === dimension);
      const [, id, name] = (column?.byId && /^(\d+) (.+)$/.exec(text)) || [];
      if (column && id && name) names.get(column.dimension)?.set(id, { [column.field]: name });
      return [dimension, text === '-' ? null : (id ?? text)];
    });
    const dimensions: Choice['dimensions'] = Object.fromEntries(entries);
    const after = next.map((choice) => ({ ...choice, dimensions: { ...dimensions, ...choice.dimensions } }));
    return { dimensions, weight: Number(weight), next: spread(after) };
  }

  const publishers = inventory.publishers.map(fieldsOf);
  const apps = rowsOf(inventory.apps).map(([platform, publisherId, bundleId, weight]) => {
    const [, network, ...subPublishers] = publishers.find(([id]) => id === publisherId) ?? [];
    const texts = { PLATFORM: platform, BUNDLEID: bundleId, PUBLISHERID: publisherId, ADNETWORK: network };
    const next = subPublishers.map((name) => choiceOf({ SUBPUBLISHERID: name }));
    return choiceOf(texts, weight, next);
  });
  const devices = rowsOf(inventory.devices).map(([os = '', type, brand, model, weight]) => {
    // Apps are of the device's system, and sites of any.
    const own = apps.filter(({ dimensions: { PLATFORM } }) =>
      ['web', os.replace(/^\d+ /, '').toLowerCase()].includes(PLATFORM ?? ''),
    );
    return choiceOf({ OS: os, DEVICETYPE: type, DEVICEBRAND: brand, DEVICEMODEL: model }, weight, own);
  });
  const carriers = rowsOf(inventory.carriers);
  const places = rowsOf(inventory.places).map(([country, region, department, city, postalcode, weight]) => {
    const own = carriers.filter(([where]) => country?.endsWith(` ${where}`));
    const here = own.length > 0 ? own : carriers.filter(([where]) => where === 'elsewhere');
    const area = { COUNTRY: country, REGION: region, DEPARTMENT: department, CITY: city, POSTALCODE: postalcode };
    return choiceOf(
      area,
      weight,
      here.map(([, name, share]) => choiceOf({ CARRIER: name }, share)),
    );
  });

  const isShown = (list: string, dimension: 'OS' | 'COUNTRY', { dimensions }: Choice): boolean => {
    const [name] = Object.values(names.get(dimension)?.get(dimensions[dimension] ?? '') ?? {});
    return list === '' || list.split(',').includes(name ?? '');
  };
  const adUnits = campaigns.flatMap(({ id: campaignId, advertiser, from, to, cpm, cpc, systems, countries, units }) => {
    const ofCampaign = {
      // The hours whose first instant lies in the campaign, both included.
      firstHour: Math.ceil(hoursOf(from)),
      lastHour: Math.floor(hoursOf(to)),
      // Cents for a thousand displays, and for a click.
      cpm,
      cpc,
      devices: spread(devices.filter((device) => isShown(systems, 'OS', device))),
      places: spread(places.filter((place) => isShown(countries, 'COUNTRY', place))),
    };
    return units.map(({ id, format, volume, creatives }) => {
      const [listed, clickRate] = rowsOf(inventory.formats).find(([name]) => name?.endsWith(` ${format}`)) ?? [];
      const choices = Array.from({ length: creatives }, (_, index) => choiceOf({ CREATIVE: `${id}${index + 1}` }));
      const texts = { ADVERTISER: advertiser, CAMPAIGN: campaignId, ADUNIT: id, FORMAT: listed };
      const { dimensions, next } = choiceOf(texts, '1', choices);
      return {
        ...ofCampaign,
        dimensions,
        creatives: next,
        // One more ad unit changes the facts of no other.
        seed: Number(id),
        // Requests of an hour at its best, and clicks of a thousand displays.
        volume,
        clickRate: Number(clickRate),
      };
    });
  });
  return { names, adUnits };
}

/** Hours since 1970 of a Paris wall time. */
function hoursOf(wallTime: string): number {
  const seconds = Date.parse(`${wallTime.replace(' ', 'T')}Z`) / 1_000;
  return instantOfWallTime(seconds, defaultZone, 'first') / hourSeconds;
}
