/** The validator is prepared when the service starts, so that a contract that it cannot handle is noticed then. */
import { describe, expect, test } from '@jest/globals';
import type { Route } from '../../generated/operations.js';
import { routes } from '../../server/http/routes.js';
import {
  compileValidation,
  prepareValidation,
  readContract,
} from '../../server/http/transport/validator.js';

/** The contract with another schema for agent names. */
function contractWith(schema: object) {
  const contract = readContract();
  return {
    ...contract,
    components: {
      ...contract.components,
      schemas: { ...contract.components.schemas, AgentReference: schema },
    },
  };
}

describe('a contract that cannot be compiled fails the start', () => {
  test.each([
    ['an invalid pattern', { type: 'string', pattern: '(' }, /Unterminated group/],
    ['an unknown type', { type: 'text' }, /text/],
  ])('with the operation and the reason: %s', async (_name, schema, reason) => {
    await expect(compileValidation(contractWith(schema))).rejects.toMatchObject({
      message: expect.stringMatching(/^The contract of invokeAgent cannot be compiled: /),
      cause: { message: expect.stringMatching(reason) },
    });
  });
});

test.each([
  ['Nothing', /^The contract has no #\/components\/schemas\/Nothing\.$/],
  ['AgentReference', /^A request's schema must not be recursive, as #\/components\/schemas\/Agent/],
])('a reference to %s fails the start', async (name, reason) => {
  const schema = { anyOf: [{ type: 'string' }, { $ref: `#/components/schemas/${name}` }] };
  await expect(compileValidation(contractWith(schema))).rejects.toThrow(reason);
});

test('there is a validator for each operation, and for nothing else', async () => {
  const validateRequest = await prepareValidation();
  for (const route of routes) expect(validateRequest(route)).toEqual(expect.any(Function));
  const unknown = { operationId: 'sing' } as unknown as Route;
  expect(() => validateRequest(unknown)).toThrow('No validation was prepared for sing.');
});
