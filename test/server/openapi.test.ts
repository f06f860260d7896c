import { expect, test } from 'vitest';
import { breakdowns, filters, metrics } from '../../src/contract/vocabulary.ts';
import { call, jsonOf, smallReport, startForFile } from './local.ts';

interface Node {
  readonly [key: string]: unknown;
}

const { server } = await startForFile();
const document = jsonOf(await call(server, '/openapi.json')) as Node;

function at(start: Node, ...path: string[]): Node {
  return path.reduce<Node>((node, key) => {
    expect(node, path.join(' › ')).toHaveProperty([key]);
    return node[key] as Node;
  }, start);
}

/** Every object in a document, with its path. */
function* nodesOf(node: unknown, path = '#'): Generator<[string, Node]> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield [path, node as Node];
  for (const [key, value] of Object.entries(node)) yield* nodesOf(value, `${path}/${key}`);
}

test('OpenAPI 3.1 with the service calls and their refusals', () => {
  expect(document.openapi).toBe('3.1.0');

  const calls = Object.entries(at(document, 'paths')).flatMap(([path, item]) =>
    Object.entries(item as Node).map(([method, operation]) => {
      const codes = Object.keys(at(operation as Node, 'responses')).join(' ');
      return `${method} ${path}: ${codes}`;
    }),
  );

  expect(calls.sort()).toEqual([
    'get /campaigns: 200 400 401 403 429 5XX',
    'post /auth-reporting: 200 400 401 403 413 415 429 5XX',
    'post /buyer-reporting: 200 400 401 403 406 413 415 429 5XX',
    'post /download-reporting: 200 400 401 403 404 406 409 410 413 415 429 5XX',
    'post /status-reporting: 200 400 401 403 404 410 413 415 429 5XX',
  ]);
});

test('every reference resolves, and every component is referenced', () => {
  const references = [...nodesOf(document)].flatMap(([, { $ref }]) =>
    typeof $ref === 'string' ? [$ref] : [],
  );

  expect(references.length).toBeGreaterThan(30);
  for (const reference of references)
    expect(at(document, ...reference.split('/').slice(1)), reference).toBeTypeOf('object');
  for (const kind of ['schemas', 'responses', 'headers']) {
    for (const name of Object.keys(at(document, 'components', kind))) {
      expect(references).toContain(`#/components/${kind}/${name}`);
    }
  }
});

test('the vocabulary is complete: metrics, breakdowns, filters and row fields', () => {
  const schema = (name: string) => at(document, 'components', 'schemas', name);
  const constants = (name: string) => (schema(name).anyOf as Node[]).flatMap((entry) => entry.enum);

  expect(constants('MetricName')).toEqual(metrics.map(({ name }) => name));
  expect(constants('BreakdownName')).toEqual(breakdowns.map(({ name }) => name));
  expect(Object.keys(at(schema('ReportRequest'), 'properties'))).toEqual(
    expect.arrayContaining([
      'since',
      'until',
      'metrics',
      'breakdowns',
      ...filters.map(({ name }) => name),
    ]),
  );

  const buyer = at(schema('BuyerRow'), 'properties');

  expect(buyer).toMatchObject({
    valueDollar: { type: 'number' },
    Adnetwork: { type: ['string', 'null'] },
  });
  expect(buyer).not.toHaveProperty('revenueDollar');
  expect(Object.keys(at(schema('DspRow'), 'properties'))).toEqual(
    expect.arrayContaining([
      'date',
      'displays',
      'revenueEuro',
      'revenueDollar',
      'bundleId',
      'format',
    ]),
  );
  expect(schema('DspRow').required).toEqual([]);
});

test('rows have all required fields and only known ones', async () => {
  for (const { as, name } of [
    { as: 'buyer', name: 'BuyerRow' },
    { as: 'dsp', name: 'DspRow' },
  ] as const) {
    const json = {
      ...smallReport,
      metrics: 'displays,revenueEuro,revenueDollar',
      output: 'direct',
    };
    const answer = await call(server, '/buyer-reporting', {
      as,
      json,
      headers: { accept: 'application/json' },
    });
    const [row = {}] = (jsonOf(answer) as { data: Node[] }).data;
    const { properties, required } = at(document, 'components', 'schemas', name);
    expect(Object.keys(properties as Node)).toEqual(expect.arrayContaining(Object.keys(row)));
    expect(Object.keys(row)).toEqual(expect.arrayContaining(required as string[]));
  }
});

test('the examples work unchanged', async () => {
  for (const path of ['/auth-reporting', '/buyer-reporting']) {
    const content = at(document, 'paths', path, 'post', 'requestBody', 'content');
    const json = at(content, 'application/json').example;
    const form = new URLSearchParams();
    const example = at(content, 'application/x-www-form-urlencoded').example as Node;
    for (const [name, value] of Object.entries(example)) {
      for (const one of [value].flat()) form.append(name, String(one));
    }
    for (const as of ['buyer', 'dsp'] as const) {
      expect((await call(server, path, { as, json })).status).toBe(200);
      expect((await call(server, path, { as, form: form.toString() })).status).toBe(200);
    }
  }
});
