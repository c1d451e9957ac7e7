/** Links in the contract lead to existing operations and provide every required parameter from the response. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { operationsOf, parseContract } from '../../scripts/lib/contract.js';
import { followObject, isObject } from '../../scripts/lib/json.js';
import { operations } from '../helpers/service/contract.js';
import { root } from '../helpers/programs/workspace.js';

const contract = parseContract(await readFile(path.join(root, 'generated/openapi.json'), 'utf8'));

const resolve = (value: unknown) => followObject(contract, value);

interface Link {
  from: string;
  status: number;
  to: string;
  parameters: [string, string][];
}

const links = operationsOf(contract).flatMap(({ operation }) =>
  Object.entries(operation.responses ?? {}).flatMap(([status, response]) =>
    Object.values(resolve(resolve(response)['links'])).map((link): Link => {
      const { operationId, parameters } = resolve(link);
      return {
        from: operation.operationId ?? '',
        status: Number(status),
        to: String(operationId),
        parameters: Object.entries(resolve(parameters)).map(([name, value]) => [
          name,
          String(value),
        ]),
      };
    }),
  ),
);

const named = (operationId: string) => {
  const found = operations.find((operation) => operation.operationId === operationId);
  if (!found) throw new Error(`The contract has no ${operationId}.`);
  return found;
};

test('every created resource links to its operations', () => {
  expect(new Set(links.map(({ from }) => from))).toEqual(
    new Set([
      'invokeAgent',
      'getAgent',
      'updateAgent',
      'createDeployment',
      'rollbackDeployment',
      'createWebhook',
      'createApiKey',
    ]),
  );
});

test.each(links)('$from, $status, links to $to', ({ from, status, to, parameters }) => {
  const known = named(to).parameters.map(({ name }) => name);
  const required = named(to).parameters.filter(({ isRequired }) => isRequired);
  const given = parameters.map(([name]) => name);
  expect(known).toEqual(expect.arrayContaining(given));
  expect(given).toEqual(expect.arrayContaining(required.map(({ name }) => name)));
  for (const [, expression] of parameters) expect(valueOf(expression, from, status)).toBeTruthy();
});

/** Evaluates a runtime expression for the examples of the operation. */
function valueOf(expression: string, operationId: string, status: number): unknown {
  const { parameters, responses } = named(operationId);
  const [, inPath] = /^\$request\.path\.(\w+)$/.exec(expression) ?? [];
  if (inPath !== undefined) return parameters.find(({ name }) => name === inPath)?.value;
  const [, pointer = ''] = /^\$response\.body#\/(.+)$/.exec(expression) ?? [];
  const body = responses.find((response) => response.status === status)?.value;
  return pointer
    .split('/')
    .reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), body);
}
