/** The part of the contract that requests are held against. The rest of it would only cost time when the server starts. */
import { readFileSync } from 'node:fs';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { contractJson } from '../../lib/project-files.js';

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** The paths without answers, and of the components those that they lead to. */
export function readRequestContract(): OpenAPIV3.DocumentV3_1 {
  const text = readFileSync(contractJson, 'utf8');
  const contract = JSON.parse(text) as OpenAPIV3.DocumentV3_1;
  const paths = Object.fromEntries(
    Object.entries(contract.paths ?? {}).map(([path, item]) => [path, withoutResponses(item)]),
  );
  const needed = referencesIn(paths, contract);
  const choose = <Part>(kind: string, parts: Record<string, Part> = {}): Record<string, Part> =>
    Object.fromEntries(
      Object.entries(parts).filter(([name]) => needed.has(`#/components/${kind}/${name}`)),
    );
  const { securitySchemes = {}, ...components } = contract.components;
  return {
    ...contract,
    webhooks: {},
    paths,
    components: {
      securitySchemes,
      schemas: choose('schemas', components.schemas),
      parameters: choose('parameters', components.parameters),
      requestBodies: choose('requestBodies', components.requestBodies),
      examples: choose('examples', components.examples),
    },
  };
}

function withoutResponses(item: OpenAPIV3.PathItemObject): OpenAPIV3.PathItemObject {
  const stripped = { ...item };
  for (const method of methods) {
    const operation = item[method];
    if (operation) stripped[method] = { ...operation, responses: {} };
  }
  return stripped;
}

/** Every reference in a value, and in what they lead to. */
function referencesIn(value: unknown, contract: object, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== '$ref' || typeof inner !== 'string') {
      referencesIn(inner, contract, found);
    } else if (!found.has(inner)) {
      found.add(inner);
      referencesIn(lookUp(inner, contract), contract, found);
    }
  }
  return found;
}

function lookUp(reference: string, contract: object): unknown {
  const steps = reference.split('/').slice(1);
  return steps.reduce<unknown>(
    (node, step) =>
      typeof node === 'object' && node !== null ? Reflect.get(node, step) : undefined,
    contract,
  );
}
