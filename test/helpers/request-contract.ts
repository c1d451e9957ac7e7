/** The part of the contract that is about requests. */
import { readFileSync } from 'node:fs';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { operations } from '../../generated/operations.js';
import { contractJson } from '../../server/lib/project-files.js';

const methods = new Set(Object.values(operations).map(({ method }) => method));

/** The paths without what the service sends, and the components that the paths refer to. */
export function readRequestContract(): OpenAPIV3.DocumentV3_1 {
  const text = readFileSync(contractJson, 'utf8');
  const contract = JSON.parse(text) as OpenAPIV3.DocumentV3_1;
  const paths = Object.fromEntries(
    Object.entries(contract.paths ?? {}).map(([path, item]) => [path, withoutResponses(item)]),
  );
  const referenced = referencesIn(paths, contract);
  const pick = <Part>(kind: string, parts: Record<string, Part> = {}): Record<string, Part> =>
    Object.fromEntries(
      Object.entries(parts).filter(([name]) => referenced.has(`#/components/${kind}/${name}`)),
    );
  const { securitySchemes = {}, ...components } = contract.components;
  return {
    ...contract,
    webhooks: {},
    paths,
    components: {
      securitySchemes,
      schemas: pick('schemas', components.schemas),
      parameters: pick('parameters', components.parameters),
      requestBodies: pick('requestBodies', components.requestBodies),
      examples: pick('examples', components.examples),
    },
  };
}

function withoutResponses(item: OpenAPIV3.PathItemObject): OpenAPIV3.PathItemObject {
  const stripped = { ...item };
  for (const method of methods) {
    const operation = item[method];
    if (operation) stripped[method] = { ...operation, responses: {}, callbacks: {} };
  }
  return stripped;
}

/** Every reference in a value, and in what it refers to. */
function referencesIn(value: unknown, contract: object, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== '$ref' || typeof inner !== 'string') {
      referencesIn(inner, contract, found);
    } else if (!found.has(inner)) {
      found.add(inner);
      referencesIn(resolveReference(inner, contract), contract, found);
    }
  }
  return found;
}

function resolveReference(reference: string, contract: object): unknown {
  const keys = reference.split('/').slice(1);
  return keys.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined),
    contract,
  );
}
