import type { DimensionName } from '../../contract/vocabulary.ts';
import { dimensionColumns, type Names } from '../fixtures/fixtures.ts';
import { type Choice, createChoice } from './choices.ts';
import inventory from './inventory.json' with { type: 'json' };

export interface Device {
  /** Operating system; `undefined` if unknown. */
  readonly system: string | undefined;
  readonly choice: Choice;
}

export interface Place {
  /** Country; `undefined` if unknown. */
  readonly country: string | undefined;
  readonly choice: Choice;
}

/** Choices for facts, from `inventory.json`. Adds the names of all ids it uses to `names`. */
export class Inventory {
  readonly devices: readonly Device[];
  readonly places: readonly Place[];
  readonly #names: Names;

  /** @param names receives the names of the ids */
  constructor(names: Names) {
    this.#names = names;

    const apps = inventory.apps.map((app) => this.#createApp(app));
    this.devices = inventory.devices.flatMap((line) => this.#createDevices(line, apps));
    this.places = inventory.places.map((place) => this.#createPlace(place));
  }

  formatNamed(name: string) {
    const format = inventory.formats.find((candidate) => candidate.name === name) ?? null;
    return {
      id: this.#registerName('FORMAT', format),
      clicksPerThousand: format?.clicksPerThousand ?? 0,
    };
  }

  /** Creates an app with the sub-publishers of its publisher. */
  #createApp({ platform, publisherId, bundleId, weight }: (typeof inventory.apps)[number]): Choice {
    const publisher = inventory.publishers.find(({ id }) => id === publisherId);
    const subPublishers = publisher?.subPublishers ?? [];

    return createChoice({
      dimensions: {
        PLATFORM: platform,
        BUNDLEID: bundleId,
        PUBLISHERID: publisherId,
        ADNETWORK: this.#registerName('ADNETWORK', publisher?.network),
      },
      weight,
      next: subPublishers.map((name) => createChoice({ dimensions: { SUBPUBLISHERID: name } })),
    });
  }

  /** Combines the models of a brand with the apps for their system, and all sites. */
  #createDevices(line: (typeof inventory.devices)[number], apps: readonly Choice[]): Device[] {
    const { os, type, brand, models } = line;
    const platform = os?.name.toLowerCase();
    const ownApps = apps.filter(
      ({ dimensions }) => dimensions.PLATFORM === 'web' || dimensions.PLATFORM === platform,
    );

    return models.map(({ name, weight }) => ({
      system: os?.name,
      choice: createChoice({
        dimensions: {
          OS: this.#registerName('OS', os),
          DEVICETYPE: this.#registerName('DEVICETYPE', type),
          DEVICEBRAND: this.#registerName('DEVICEBRAND', brand),
          DEVICEMODEL: name,
        },
        weight,
        next: ownApps,
      }),
    }));
  }

  #createPlace(place: (typeof inventory.places)[number]): Place {
    const country = place.country?.name;
    const carriers = findCarriers(country);

    return {
      country,
      choice: createChoice({
        dimensions: {
          COUNTRY: this.#registerName('COUNTRY', place.country),
          REGION: this.#registerName('REGION', place.region),
          DEPARTMENT: this.#registerName('DEPARTMENT', place.department),
          CITY: this.#registerName('CITY', place.city),
          POSTALCODE: this.#registerName('POSTALCODE', place.postalcode),
        },
        weight: place.weight,
        next: carriers.map(({ name, weight }) =>
          createChoice({ dimensions: { CARRIER: name }, weight }),
        ),
      }),
    };
  }

  /** Adds the name of an id to `names` and returns the id; `null` if unknown. */
  #registerName(
    dimension: DimensionName,
    named: { id: string; name: string } | null | undefined,
  ): string | null {
    if (!named) return null;

    const column = dimensionColumns.find((candidate) => candidate.dimension === dimension);
    if (column) this.#names.get(dimension)?.set(named.id, { [column.field]: named.name });
    return named.id;
  }
}

/** Finds the carriers of a country; the default ones if it has none of its own. */
function findCarriers(country: string | undefined) {
  const countryCarriers = inventory.carriers.find((list) => list.country === country);
  const defaults = inventory.carriers.find((list) => list.country === null);
  return (countryCarriers ?? defaults)?.carriers ?? [];
}
