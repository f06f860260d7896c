import { defaultZone } from '../../contract/messages.ts';
import { type DimensionName, type MetricName, metrics } from '../../contract/vocabulary.ts';
import { instantOfWallTime } from '../calendar.ts';
import {
  type Account,
  type Dimensions,
  dimensionColumns,
  type Fact,
  type FactSource,
  type Fixtures,
  hourSeconds,
  namesOf,
  noDimensions,
} from '../fixtures/fixtures.ts';
import accounts from './accounts.json' with { type: 'json' };
import plans from './campaigns.json' with { type: 'json' };
import inventory from './inventory.json' with { type: 'json' };
import { mix } from './random.ts';

/**
 * The built-in data: accounts, of which `awkward` alone sees names that are hostile on purpose, campaigns, and facts for
 * every hour from 1970 to 9999 (`decisions.md` 7). The facts of an hour and ad unit are a pure function of both and the
 * seed, the same on every machine.
 * @param options.seed any whole number; another seed is other traffic of the same campaigns.
 * @param options.scale multiplies the number of facts; a whole number from 1.
 */
export function builtInFixtures({
  seed,
  scale,
}: {
  readonly seed: number;
  readonly scale: number;
}): Fixtures {
  const { campaigns, names, adUnits } = drawUp();
  const facts: FactSource = {
    firstHour: Math.min(...adUnits.map(({ firstHour }) => firstHour)),
    lastHour: Math.max(...adUnits.map(({ lastHour }) => lastHour)),
    *ofHour(hour, isWanted) {
      const hourBits = mix(seed, hour);
      for (const adUnit of adUnits) {
        if (hour < adUnit.firstHour || hour > adUnit.lastHour || !isWanted(adUnit.dimensions))
          continue;
        const bits = mix(hourBits, adUnit.seed);
        for (let nth = 1; nth <= (2 + (bits & 3)) * scale; nth++)
          yield drawFact(adUnit, hour, mix(bits, nth));
      }
    },
  };
  return { accounts: accounts as readonly Account[], campaigns, names, facts };
}

/** Something that a fact may be of, by chance, and what is drawn next: of a device its apps, of a place its carriers. */
interface Choice {
  /** Those that belong together, and those of what was drawn before: a city is always in its country. */
  readonly dimensions: Partial<Dimensions>;
  readonly weight: number;
  readonly next: readonly Choice[];
}

/** A table of 256 entries in which each choice takes a share by its weight, so that a byte of a hash is a weighted draw. */
function spread(choices: readonly Choice[]): Choice[] {
  const total = choices.reduce((sum, { weight }) => sum + weight, 0);
  const table: Choice[] = [];
  let before = 0;
  for (const choice of choices) {
    before += choice.weight;
    while (table.length < Math.floor((before * 256) / total)) table.push(choice);
  }
  return table;
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

/** An ad unit: when it delivers, how much, at what price, and what its facts are drawn from. */
type AdUnit = ReturnType<typeof drawUp>['adUnits'][number];

/**
 * The campaigns in the order of `GET /campaigns`, the names of everything, and the ad units. In `campaigns.json` dates are
 * Paris wall time, the end included; `countries` and `systems` are lists with commas, and everywhere where empty; `cpm` and
 * `cpc` are cents for a thousand displays, and for a click; `volume` is the requests of an hour at its best.
 */
function drawUp() {
  const campaigns = plans.map(({ countries, systems, cpm, cpc, adunits, ...campaign }) => ({
    ...campaign,
    adunits: adunits.map(({ format, volume, creatives, ...unit }) => unit),
  }));
  const names = namesOf(campaigns);

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
    const after = next.map((choice) => ({
      ...choice,
      dimensions: { ...dimensions, ...choice.dimensions },
    }));
    return { dimensions, weight: Number(weight), next: spread(after) };
  }

  const publishers = inventory.publishers.map(fieldsOf);
  const apps = rowsOf(inventory.apps).map(([platform, publisherId, bundleId, weight]) => {
    const [, network, ...subPublishers] = publishers.find(([id]) => id === publisherId) ?? [];
    const texts = {
      PLATFORM: platform,
      BUNDLEID: bundleId,
      PUBLISHERID: publisherId,
      ADNETWORK: network,
    };
    const next = subPublishers.map((name) => choiceOf({ SUBPUBLISHERID: name }));
    return choiceOf(texts, weight, next);
  });
  const devices = rowsOf(inventory.devices).map(([os = '', type, brand, model, weight]) => {
    // Apps are of the device's system, and sites of any.
    const own = apps.filter(({ dimensions: { PLATFORM } }) =>
      ['web', os.replace(/^\d+ /, '').toLowerCase()].includes(PLATFORM ?? ''),
    );
    return choiceOf(
      { OS: os, DEVICETYPE: type, DEVICEBRAND: brand, DEVICEMODEL: model },
      weight,
      own,
    );
  });
  const carriers = rowsOf(inventory.carriers);
  const places = rowsOf(inventory.places).map(
    ([country, region, department, city, postalcode, weight]) => {
      const own = carriers.filter(([where]) => country?.endsWith(` ${where}`));
      const here = own.length > 0 ? own : carriers.filter(([where]) => where === 'elsewhere');
      const area = {
        COUNTRY: country,
        REGION: region,
        DEPARTMENT: department,
        CITY: city,
        POSTALCODE: postalcode,
      };
      return choiceOf(
        area,
        weight,
        here.map(([, name, share]) => choiceOf({ CARRIER: name }, share)),
      );
    },
  );

  const isShown = (list: string, dimension: 'OS' | 'COUNTRY', { dimensions }: Choice): boolean => {
    const [name] = Object.values(names.get(dimension)?.get(dimensions[dimension] ?? '') ?? {});
    return list === '' || list.split(',').includes(name ?? '');
  };
  const hoursOf = (wallTime: string): number =>
    instantOfWallTime(Date.parse(`${wallTime.replace(' ', 'T')}Z`) / 1_000, defaultZone, 'first') /
    hourSeconds;
  const adUnits = plans.flatMap(
    ({ advertiserId, campaignId, cpm, cpc, systems, countries, adunits, ...plan }) => {
      const ofCampaign = {
        cpm,
        cpc,
        // The hours whose first instant lies in the campaign, both included.
        firstHour: Math.ceil(hoursOf(plan.campaignStartDate)),
        lastHour: Math.floor(hoursOf(plan.campaignEndDate)),
        devices: spread(devices.filter((device) => isShown(systems, 'OS', device))),
        places: spread(places.filter((place) => isShown(countries, 'COUNTRY', place))),
      };
      return adunits.map(({ adunitId: id, format, volume, creatives: count }) => {
        const [listed, clickRate] =
          rowsOf(inventory.formats).find(([name]) => name?.endsWith(` ${format}`)) ?? [];
        const choices = Array.from({ length: count }, (_, index) =>
          choiceOf({ CREATIVE: `${id}${index + 1}` }),
        );
        const texts = {
          ADVERTISER: advertiserId,
          CAMPAIGN: campaignId,
          ADUNIT: id,
          FORMAT: listed,
        };
        const { dimensions, next: creatives } = choiceOf(texts, '1', choices);
        // One more ad unit changes the facts of no other. The rate is clicks of a thousand displays.
        return {
          ...ofCampaign,
          dimensions,
          creatives,
          seed: Number(id),
          volume,
          clickRate: Number(clickRate),
        };
      });
    },
  );
  return { campaigns, names, adUnits };
}

/** @param bits 32 random bits, from which everything about the fact follows */
function drawFact(adUnit: AdUnit, hour: number, bits: number): Fact {
  const more = mix(bits, 1);
  const creative = adUnit.creatives[bits >>> 24];
  const carrier = adUnit.places[(bits >>> 8) & 255]?.next[more & 255];
  const app = adUnit.devices[bits & 255]?.next[(bits >>> 16) & 255];
  const subPublisher = app?.next[(more >>> 8) & 255];
  const drawn = [creative, carrier, app, subPublisher].map((choice) => choice?.dimensions);
  const dimensions = Object.assign({}, noDimensions, ...drawn);
  return { dimensions, metrics: drawMetrics(adUnit, hour, mix(bits, 2), mix(bits, 3)) };
}

/** Requests ≥ displays ≥ clicks ≥ each conversion; whole numbers and whole cents, by integer arithmetic alone. */
function drawMetrics(
  adUnit: AdUnit,
  hour: number,
  bits: number,
  more: number,
): Record<MetricName, number> {
  const share = (value: number, thousandths: number, dither: number): number =>
    Math.floor((value * thousandths + (dither % 1_000)) / 1_000);
  const level = Math.floor((adUnit.volume * busyness(hour)) / 250_000);
  const requests = 1 + Math.floor((level * (64 + (bits & 127))) / 128);
  const displays = Math.floor((requests * (700 + ((bits >>> 7) & 255))) / 1_000);
  const clicks = share(displays, adUnit.clickRate + ((bits >>> 15) & 3), bits >>> 20);
  const cents = Math.floor((displays * adUnit.cpm) / 1_000) + clicks * adUnit.cpc;
  // The ten-thousandths of a dollar for a euro on that day.
  const rate = 10_700 + (mix(Math.floor(hour / 24), 7) & 1_023);
  const drawn: Partial<Record<MetricName, number>> = {
    requests,
    displays,
    clicks,
    downloads: share(clicks, 90, more & 1_023),
    leads: share(clicks, 40, (more >>> 10) & 1_023),
    landings: share(clicks, 620, more >>> 20),
    revenueEuro: cents,
    revenueDollar: Math.floor((cents * rate) / 10_000),
    eyesTrackings: share(displays, 310, more >>> 5),
  };
  // A metric that is new in the vocabulary has data too: a share of the displays or of the revenue.
  for (const { name, type } of metrics)
    drawn[name] ??= share(type === 'money' ? cents : displays, 120, more >>> 9);
  return drawn as Record<MetricName, number>;
}

/** Requests by the hour of the day, by the weekday from Sunday, and by the month, in percent of the busiest. */
const ofHour = [
  22, 14, 9, 7, 8, 14, 30, 52, 64, 62, 60, 64, 78, 74, 62, 60, 64, 72, 82, 92, 100, 98, 76, 44,
];
const ofWeekday = [97, 88, 86, 87, 90, 94, 100];
const ofMonth = [74, 72, 78, 80, 84, 82, 76, 68, 84, 90, 98, 100];

/** How busy an hour is, in millionths of the busiest. Central European winter time is near enough for a curve. */
function busyness(hour: number): number {
  const local = new Date((hour + 1) * 3_600_000);
  return (
    (ofHour[local.getUTCHours()] ?? 0) *
    (ofWeekday[local.getUTCDay()] ?? 0) *
    (ofMonth[local.getUTCMonth()] ?? 0)
  );
}
