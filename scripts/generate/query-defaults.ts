/** Finds the query parameters with a default. Validation sets it, so handlers can rely on a value. */

import type { Contract, ContractOperation } from '../lib/contract.js';
import { follow, isObject } from '../lib/json.js';

export function queryDefaults(
  contract: Contract,
  { operation, pathItem }: ContractOperation,
): [name: string, value: unknown][] {
  return [...(pathItem.parameters ?? []), ...(operation.parameters ?? [])].flatMap((written) => {
    const parameter = follow(contract, written);
    if (!isObject(parameter) || parameter['in'] !== 'query') return [];
    const value = defaultOf(contract, parameter['schema']);
    return value === undefined ? [] : [[String(parameter['name']), value]];
  });
}

/** The default may be next to a reference to a shared schema, or in that schema. */
function defaultOf(contract: Contract, schema: unknown): unknown {
  const shared = follow(contract, schema);
  if (isObject(schema) && schema['default'] !== undefined) return schema['default'];
  return isObject(shared) ? shared['default'] : undefined;
}
