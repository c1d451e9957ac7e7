/** Every way to violate a request to an operation: its body, parameters, method and key. */
import fc from 'fast-check';
import type { Operation } from '../contract.js';
import { shapeOf } from '../schema.js';
import { bodyViolations } from './body.js';
import { parameterViolations, unknownParameters } from './parameters.js';
import type { Violation } from './violation.js';

export function violationsOf(operation: Operation): Violation[] {
  return [
    ...operation.parameters.flatMap(parameterViolations),
    ...unknownParameters(operation),
    ...(operation.body ? bodyViolations(shapeOf(operation.body), operation) : []),
    notAllowed(operation),
    ...unauthorized(operation),
  ];
}

function notAllowed({ pointer }: Operation): Violation {
  const path = pointer.slice(0, pointer.lastIndexOf('/'));
  return {
    name: 'another method',
    pointer: path,
    status: 405,
    values: fc.constantFrom('PUT', 'TRACE', 'PROPFIND'),
    apply: (template, method) => ({ ...template, method: String(method) }),
  };
}

/** Callers without access: no key, an invalid key, or a key without the permission. */
function unauthorized({ pointer }: Operation): Violation[] {
  const statuses = { none: 401, unknown: 401, revoked: 401, unpermitted: 403 } as const;
  const callers = ['none', 'unknown', 'revoked', 'unpermitted'] as const;
  return callers.map((caller) => ({
    name: `key: ${caller}`,
    pointer: `${pointer}/security`,
    status: statuses[caller],
    values: fc.constant(caller),
    apply: (template) => ({ ...template, caller }),
    isSingle: true,
  }));
}
