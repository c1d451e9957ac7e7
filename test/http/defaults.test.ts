/** Defaults of the contract are filled in before an operation runs, and numeric parameters are numbers. */
import { describe, expect, test } from '@jest/globals';
import type { Route } from '../../generated/operations.js';
import { isObject } from '../../scripts/lib/json.js';
import { routes } from '../../server/http/routes.js';
import { operations } from '../helpers/service/contract.js';
import { useDatabase } from '../helpers/database/database.js';
import { usePipeline } from '../helpers/service/pipeline.js';
import { validCall } from '../helpers/service/valid-call.js';

let given: { query: object; body: unknown } = { query: {}, body: {} };

const pipeline = usePipeline(useDatabase(), (input) => {
  given = input as typeof given;
  return Promise.reject(new Error('The test only inspects the input.'));
});

describe('defaults', () => {
  test.each(routes)('of $operationId are filled in', async (route) => {
    const { query, body } = defaultsOf(route);
    const call = validCall(route);
    for (const name of Object.keys(query)) Reflect.deleteProperty(call.query, name);
    if (isObject(call.body)) {
      for (const name of Object.keys(body)) Reflect.deleteProperty(call.body, name);
    }
    expect((await pipeline.api.call(route.operationId, call)).status).toBe(500);
    expect(given.query).toMatchObject(query);
    if (route.hasBody) expect(given.body).toMatchObject(body);
  });

  test('the contract has defaults, so that this test proves something', () => {
    const all = routes.map(defaultsOf);
    expect(all.some(({ query }) => Object.keys(query).length > 0)).toBe(true);
    expect(all.some(({ body }) => Object.keys(body).length > 0)).toBe(true);
  });
});

function defaultsOf({ operationId }: Route): { query: object; body: object } {
  const operation = operations.find((candidate) => candidate.operationId === operationId);
  const parameters = operation?.parameters.filter((parameter) => parameter.in === 'query') ?? [];
  const properties = operation?.requests[0]?.schema['properties'];
  return {
    query: withDefault(parameters.map(({ name, schema }) => [name, schema])),
    body: withDefault(Object.entries(isObject(properties) ? properties : {})),
  };
}

function withDefault(schemas: [string, unknown][]): object {
  return Object.fromEntries(
    schemas.flatMap(([name, schema]) =>
      isObject(schema) && 'default' in schema ? [[name, schema['default']]] : [],
    ),
  );
}
