import type { DimensionName } from '../../contract/vocabulary.ts';
import { dimensionColumns, type Names } from '../fixtures/fixtures.ts';
import { type Choice, createChoice } from './choices.ts';
import inventory from './inventory.json' with { type: 'json' };

interface Device {
  /** Operating system, if known. */
  readonly system: string | undefined;
  readonly choice: Choice;
}

interface Place {
  /** Country, if known. */
  readonly country: string | undefined;
  readonly choice: Choice;
}

/** Choices for facts, from `inventory.json`. */
export interface Inventory {
  readonly devices: readonly Device[];
  readonly places: readonly Place[];
  findFormat(name: string): { readonly id: string | null; readonly clicksPerThousand: number };
}

/** Adds the name of an ID and returns the ID, or `null` if it is unknown. */
type RegisterName = (
  dimension: DimensionName,
  named: { readonly id: string; readonly name: string } | null | undefined,
) => string | null;

/** @param names receives the names of the inventory's IDs */
export function createInventory(names: Names): Inventory {
  const register: RegisterName = (dimension, named) => {
    if (!named) return null;

    const column = dimensionColumns.find((candidate) => candidate.dimension === dimension);
    if (column) names.get(dimension)?.set(named.id, { [column.field]: named.name });
    return named.id;
  };

  const apps = inventory.apps.map((app) => createApp(app, register));
  return {
    devices: inventory.devices.flatMap((line) => createDevices(line, apps, register)),
    places: inventory.places.map((place) => createPlace(place, register)),

    findFormat(name) {
      const format = inventory.formats.find((candidate) => candidate.name === name);
      const { clicksPerThousand = 0 } = format ?? {};
      return { id: register('FORMAT', format), clicksPerThousand };
    },
  };
}

/** Creates an app with the sub-publishers of its publisher. */
function createApp(
  { platform, publisherId, bundleId, weight }: (typeof inventory.apps)[number],
  register: RegisterName,
): Choice {
  const publisher = inventory.publishers.find(({ id }) => id === publisherId);
  const subPublishers = publisher?.subPublishers ?? [];

  return createChoice({
    dimensions: {
      PLATFORM: platform,
      BUNDLEID: bundleId,
      PUBLISHERID: publisherId,
      ADNETWORK: register('ADNETWORK', publisher?.network),
    },
    weight,
    next: subPublishers.map((name) => createChoice({ dimensions: { SUBPUBLISHERID: name } })),
  });
}

/** Combines the models of a brand with the apps for their system, and all sites. */
function createDevices(
  { os, type, brand, models }: (typeof inventory.devices)[number],
  apps: readonly Choice[],
  register: RegisterName,
): Device[] {
  const platform = os?.name.toLowerCase();
  const ownApps = apps.filter(
    ({ dimensions }) => dimensions.PLATFORM === 'web' || dimensions.PLATFORM === platform,
  );

  return models.map(({ name, weight }) => ({
    system: os?.name,
    choice: createChoice({
      dimensions: {
        OS: register('OS', os),
        DEVICETYPE: register('DEVICETYPE', type),
        DEVICEBRAND: register('DEVICEBRAND', brand),
        DEVICEMODEL: name,
      },
      weight,
      next: ownApps,
    }),
  }));
}

function createPlace(
  { country, region, department, city, postalcode, weight }: (typeof inventory.places)[number],
  register: RegisterName,
): Place {
  const carriers = findCarriers(country?.name);

  return {
    country: country?.name,
    choice: createChoice({
      dimensions: {
        COUNTRY: register('COUNTRY', country),
        REGION: register('REGION', region),
        DEPARTMENT: register('DEPARTMENT', department),
        CITY: register('CITY', city),
        POSTALCODE: register('POSTALCODE', postalcode),
      },
      weight,
      next: carriers.map((carrier) =>
        createChoice({ dimensions: { CARRIER: carrier.name }, weight: carrier.weight }),
      ),
    }),
  };
}

/** Finds the carriers of a country, or the default carriers if the country has none. */
function findCarriers(country: string | undefined) {
  const countryCarriers = inventory.carriers.find((list) => list.country === country);
  const defaults = inventory.carriers.find((list) => list.country === null);
  return (countryCarriers ?? defaults)?.carriers ?? [];
}
