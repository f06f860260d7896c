import type { DimensionName } from '../../contract/vocabulary.ts';
import { dimensionColumns, type Names } from '../fixtures/fixtures.ts';
import { type Choice, createChoice } from './choices.ts';
import inventory from './inventory.json' with { type: 'json' };

/** A device with its apps. */
export interface Device {
  /** The name of its system; `undefined` where that is not known. */
  readonly system: string | undefined;
  readonly choice: Choice;
}

/** A place with its carriers. */
export interface Place {
  /** The name of its country; `undefined` where that is not known. */
  readonly country: string | undefined;
  readonly choice: Choice;
}

/** The format of an ad unit. */
export interface AdFormat {
  readonly id: string | null;

  /** How many displays of a thousand are clicked. */
  readonly clicksPerThousand: number;
}

/** Something that has an id; the ids of places are GeoNames'. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * What facts are drawn from, as `inventory.json` lists it. A name is noted when something is made
 * of it, for reports to show.
 */
export class Inventory {
  readonly devices: readonly Device[];
  readonly places: readonly Place[];
  readonly #names: Names;

  /** @param names takes up the names of the ids */
  constructor(names: Names) {
    this.#names = names;

    const apps = inventory.apps.map((app) => this.#createApp(app));
    this.devices = inventory.devices.flatMap((line) => this.#createDevices(line, apps));
    this.places = inventory.places.map((place) => this.#createPlace(place));
  }

  /** The format of that name. */
  formatNamed(name: string): AdFormat {
    const format = inventory.formats.find((candidate) => candidate.name === name) ?? null;
    return {
      id: this.#idOf('FORMAT', format),
      clicksPerThousand: format?.clicksPerThousand ?? 0,
    };
  }

  /** An app or a site, with the sub-publishers of its publisher. */
  #createApp({ platform, publisherId, bundleId, weight }: (typeof inventory.apps)[number]): Choice {
    const publisher = inventory.publishers.find(({ id }) => id === publisherId);
    const subPublishers = publisher?.subPublishers ?? [];

    return createChoice({
      dimensions: {
        PLATFORM: platform,
        BUNDLEID: bundleId,
        PUBLISHERID: publisherId,
        ADNETWORK: this.#idOf('ADNETWORK', publisher?.network),
      },
      weight,
      next: subPublishers.map((name) => createChoice({ dimensions: { SUBPUBLISHERID: name } })),
    });
  }

  /** The models of a brand. Apps are of the device's system, and sites of any. */
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
          OS: this.#idOf('OS', os),
          DEVICETYPE: this.#idOf('DEVICETYPE', type),
          DEVICEBRAND: this.#idOf('DEVICEBRAND', brand),
          DEVICEMODEL: name,
        },
        weight,
        next: ownApps,
      }),
    }));
  }

  #createPlace(place: (typeof inventory.places)[number]): Place {
    const country = place.country?.name;
    const carriers = carriersOf(country);

    return {
      country,
      choice: createChoice({
        dimensions: {
          COUNTRY: this.#idOf('COUNTRY', place.country),
          REGION: this.#idOf('REGION', place.region),
          DEPARTMENT: this.#idOf('DEPARTMENT', place.department),
          CITY: this.#idOf('CITY', place.city),
          POSTALCODE: this.#idOf('POSTALCODE', place.postalcode),
        },
        weight: place.weight,
        next: carriers.map(({ name, weight }) =>
          createChoice({ dimensions: { CARRIER: name }, weight }),
        ),
      }),
    };
  }

  /** The id of something in a dimension, whose name is noted; `null` where it is unknown. */
  #idOf(dimension: DimensionName, named: Named | null | undefined): string | null {
    if (!named) return null;

    const column = dimensionColumns.find((candidate) => candidate.dimension === dimension);
    if (column) this.#names.get(dimension)?.set(named.id, { [column.field]: named.name });
    return named.id;
  }
}

/** The carriers of a country; those of elsewhere where it has none of its own. */
function carriersOf(country: string | undefined) {
  const own = inventory.carriers.find((list) => list.country === country);
  const elsewhere = inventory.carriers.find((list) => list.country === null);
  return (own ?? elsewhere)?.carriers ?? [];
}
