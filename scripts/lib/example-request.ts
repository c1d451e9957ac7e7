/** Builds the example request of an operation from the examples in the contract. */

import type { Contract, ContractOperation } from './contract.js';
import { followObject, type JsonObject } from './json.js';

export interface ExampleRequest {
  path: ExampleParameter[];
  query: ExampleParameter[];
  header: ExampleParameter[];
  body: unknown;
}

export interface ExampleParameter {
  name: string;
  value: string;
  isRequired: boolean;
}

export function exampleRequest(
  contract: Contract,
  { operation, pathItem }: ContractOperation,
): ExampleRequest {
  const resolve = (value: unknown) => followObject(contract, value);
  const parameters = [...(pathItem.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  const parametersIn = (location: string) =>
    parameters.filter((parameter) => parameter['in'] === location).map(exampleParameter);
  const content = resolve(resolve(resolve(operation.requestBody)['content'])['application/json']);
  const [example] = Object.values(resolve(content['examples'])).map(resolve);
  return {
    path: parametersIn('path'),
    query: parametersIn('query'),
    header: parametersIn('header'),
    body: example?.['value'],
  };
}

function exampleParameter({ name, example, required }: JsonObject): ExampleParameter {
  return {
    name: String(name),
    value: typeof example === 'string' ? example : JSON.stringify(example),
    isRequired: required === true,
  };
}
