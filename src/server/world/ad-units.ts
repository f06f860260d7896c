import { defaultZone } from '../../contract/messages.ts';
import { parseWallTime } from '../../contract/values.ts';
import { wallTimeToInstant } from '../calendar.ts';
import {
  type Dimensions,
  type FixtureCampaign,
  hourSeconds,
  type Names,
} from '../fixtures/fixtures.ts';
import plans from './campaigns.json' with { type: 'json' };
import { createChoice, createDrawTable, type DrawTable } from './choices.ts';
import { createInventory, type Inventory } from './inventory.ts';

/**
 * A campaign in `campaigns.json`. Dates are Paris wall time, and the end is included. An empty list
 * of `countries` or `systems` means all. `cpm` is in cents per thousand displays, `cpc` in cents
 * per click.
 */
type CampaignData = (typeof plans)[number];

/** An ad unit in `campaigns.json`. `volume` is the number of requests in the busiest hour. */
type AdUnitData = CampaignData['adunits'][number];

/** Traffic of an ad unit: its delivery period, its prices, and the choices for its facts. */
export interface AdUnitTraffic {
  readonly dimensions: Partial<Dimensions>;
  readonly seed: number;

  /** First and last hour that starts within the campaign. */
  readonly firstHour: number;
  readonly lastHour: number;
  readonly volume: number;
  readonly cpm: number;
  readonly cpc: number;
  readonly clicksPerThousand: number;
  readonly creatives: DrawTable;
  readonly devices: DrawTable;
  readonly places: DrawTable;
}

/** Lists the campaigns in the order of `GET /campaigns`. */
export function listCampaigns(): FixtureCampaign[] {
  return plans.map(({ countries, systems, cpm, cpc, adunits, ...campaign }) => ({
    ...campaign,
    adunits: adunits.map(({ format, volume, creatives, ...adUnit }) => adUnit),
  }));
}

/** @param names receives the names of the inventory */
export function listAdUnitTraffic(names: Names): AdUnitTraffic[] {
  const inventory = createInventory(names);
  const adUnits: AdUnitTraffic[] = [];

  for (const plan of plans) {
    const campaign = {
      cpm: plan.cpm,
      cpc: plan.cpc,
      firstHour: Math.ceil(hoursSince1970(plan.campaignStartDate)),
      lastHour: Math.floor(hoursSince1970(plan.campaignEndDate)),
      devices: createDeviceTable(plan, inventory),
      places: createPlaceTable(plan, inventory),
    };
    for (const adUnit of plan.adunits) {
      adUnits.push({ ...campaign, ...describeTraffic(plan, adUnit, inventory) });
    }
  }

  return adUnits;
}

/** Converts a Paris wall time, such as `2026-11-01 09:30:00`, to hours. */
function hoursSince1970(wallTime: string): number {
  const wallMs = parseWallTime(wallTime) ?? 0;
  return wallTimeToInstant(wallMs / 1_000, defaultZone, 'first') / hourSeconds;
}

/** Returns the properties of an ad unit that do not come from its campaign. */
function describeTraffic(plan: CampaignData, adUnit: AdUnitData, inventory: Inventory) {
  const id = adUnit.adunitId;
  const format = inventory.findFormat(adUnit.format);
  const dimensions = {
    ADVERTISER: plan.advertiserId,
    CAMPAIGN: plan.campaignId,
    ADUNIT: id,
    FORMAT: format.id,
  };
  const creatives = Array.from({ length: adUnit.creatives }, (_, index) =>
    createChoice({ dimensions: { ...dimensions, CREATIVE: `${id}${index + 1}` } }),
  );

  return {
    dimensions,
    // Seeded with the ID, so that a new ad unit does not change the facts of others.
    seed: Number(id),
    volume: adUnit.volume,
    clicksPerThousand: format.clicksPerThousand,
    creatives: createDrawTable(creatives),
  };
}

function createDeviceTable({ systems }: CampaignData, inventory: Inventory): DrawTable {
  const devices = inventory.devices.filter(({ system }) => isListed(system, systems));
  return createDrawTable(devices.map(({ choice }) => choice));
}

function createPlaceTable({ countries }: CampaignData, inventory: Inventory): DrawTable {
  const places = inventory.places.filter(({ country }) => isListed(country, countries));
  return createDrawTable(places.map(({ choice }) => choice));
}

/** Whether a list has the name. An empty list has every name. */
function isListed(name: string | undefined, list: readonly string[]): boolean {
  if (list.length === 0) return true;
  return name !== undefined && list.includes(name);
}
