/** Parses the bundled contract and lists its operations. */

import type { OpenAPI3, OperationObject, PathItemObject } from 'openapi-typescript';
import { Failure } from './failure.js';
import { isObject, isReference } from './json.js';

export type Contract = OpenAPI3;

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type Method = (typeof methods)[number];

export interface ContractOperation {
  path: string;
  method: Method;
  operation: OperationObject;
  pathItem: PathItemObject;
}

export function parseContract(text: string): Contract {
  const value: unknown = JSON.parse(text);
  if (!isContract(value)) {
    throw new Failure(
      'The bundle is not an OpenAPI document with info and paths; see openapi.yaml.',
    );
  }
  return value;
}

function isContract(value: unknown): value is Contract {
  return (
    isObject(value) &&
    typeof value['openapi'] === 'string' &&
    isObject(value['info']) &&
    isObject(value['paths'])
  );
}

/** The operations under `paths`, in the order of the contract. */
export function operationsOf(contract: Contract): ContractOperation[] {
  return Object.entries(contract.paths ?? {}).flatMap(([path, item]) => {
    if (isReference(item)) return [];
    const present = Object.keys(item);
    return methods
      .filter((method) => present.includes(method))
      .sort((a, b) => present.indexOf(a) - present.indexOf(b))
      .flatMap((method) => {
        const operation = item[method];
        return operation === undefined || isReference(operation)
          ? []
          : [{ path, method, operation, pathItem: item }];
      });
  });
}
