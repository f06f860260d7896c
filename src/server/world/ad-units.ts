import { defaultZone } from '../../contract/messages.ts';
import { instantOfWallTime } from '../calendar.ts';
import {
  type Dimensions,
  type FixtureCampaign,
  hourSeconds,
  type Names,
} from '../fixtures/fixtures.ts';
import plans from './campaigns.json' with { type: 'json' };
import { createChoice, createDrawTable, type DrawTable } from './choices.ts';
import { Inventory } from './inventory.ts';

/**
 * A campaign as `campaigns.json` plans it. Its dates are Paris wall time, the end included; it is
 * shown everywhere where `countries` or `systems` is empty; `cpm` and `cpc` are cents for a
 * thousand displays, and for a click.
 */
type CampaignPlan = (typeof plans)[number];

/** An ad unit of a plan; `volume` is the requests of an hour at its best. */
type AdUnitPlan = CampaignPlan['adunits'][number];

/** An ad unit: when it delivers, how much, at what price, and what its facts are drawn from. */
export interface PlannedAdUnit {
  readonly dimensions: Partial<Dimensions>;
  readonly seed: number;

  /** The hours whose first instant lies in the campaign, both included. */
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

/** The campaigns in the order of `GET /campaigns`. */
export function listCampaigns(): FixtureCampaign[] {
  return plans.map((plan) => ({
    advertiserId: plan.advertiserId,
    advertiserName: plan.advertiserName,
    billingEntity: plan.billingEntity,
    campaignId: plan.campaignId,
    campaignName: plan.campaignName,
    campaignStartDate: plan.campaignStartDate,
    campaignEndDate: plan.campaignEndDate,
    adunits: plan.adunits.map(({ adunitName, adunitId, adUnitLimitType, adUnitLimitValue }) => ({
      adunitName,
      adunitId,
      adUnitLimitType,
      adUnitLimitValue,
    })),
  }));
}

/**
 * The ad units of every campaign.
 * @param names takes up the names of what their facts are of
 */
export function planAdUnits(names: Names): PlannedAdUnit[] {
  const inventory = new Inventory(names);
  const adUnits: PlannedAdUnit[] = [];

  for (const plan of plans) {
    const ofCampaign = {
      cpm: plan.cpm,
      cpc: plan.cpc,
      firstHour: Math.ceil(hoursOf(plan.campaignStartDate)),
      lastHour: Math.floor(hoursOf(plan.campaignEndDate)),
      devices: devicesOf(plan, inventory),
      places: placesOf(plan, inventory),
    };
    for (const adUnit of plan.adunits) {
      adUnits.push({ ...ofCampaign, ...ofAdUnit(plan, adUnit, inventory) });
    }
  }

  return adUnits;
}

/** What an ad unit has of its own. */
function ofAdUnit(plan: CampaignPlan, adUnit: AdUnitPlan, inventory: Inventory) {
  const id = adUnit.adunitId;
  const format = inventory.formatNamed(adUnit.format);
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
    // One more ad unit changes the facts of no other.
    seed: Number(id),
    volume: adUnit.volume,
    clicksPerThousand: format.clicksPerThousand,
    creatives: createDrawTable(creatives),
  };
}

/** The devices on which a campaign is shown. */
function devicesOf({ systems }: CampaignPlan, inventory: Inventory): DrawTable {
  const devices = inventory.devices.filter(({ system }) => isAmong(system, systems));
  return createDrawTable(devices.map(({ choice }) => choice));
}

/** The places in which a campaign is shown. */
function placesOf({ countries }: CampaignPlan, inventory: Inventory): DrawTable {
  const places = inventory.places.filter(({ country }) => isAmong(country, countries));
  return createDrawTable(places.map(({ choice }) => choice));
}

/** Whether a name is in a list, or the list is empty and so holds every name. */
function isAmong(name: string | undefined, list: readonly string[]): boolean {
  if (list.length === 0) return true;
  return name !== undefined && list.includes(name);
}

/** Hours since 1970 of a wall time in Paris. */
function hoursOf(wallTime: string): number {
  const digitsAsUtc = Date.parse(`${wallTime.replace(' ', 'T')}Z`) / 1_000;
  return instantOfWallTime(digitsAsUtc, defaultZone, 'first') / hourSeconds;
}
