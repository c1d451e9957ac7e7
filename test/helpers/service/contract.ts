/** The bundled contract as plain data without references, and the examples in it. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { closeAnswers } from '../../../scripts/lib/closed-contract.js';
import { operationsOf, parseContract } from '../../../scripts/lib/contract.js';
import { follow, isObject, isReference, type JsonObject } from '../../../scripts/lib/json.js';
import { root } from '../programs/workspace.js';

export const contract = closeAnswers(
  parseContract(await readFile(path.join(root, 'generated/openapi.json'), 'utf8')),
);

/** The resolved value of each reference. */
const followed = new Map<string, unknown>();

export interface Example {
  /** Its position, for messages: `POST /v1/keys, request`. */
  place: string;
  schema: JsonObject;
  value: unknown;
}

export interface Body extends Example {
  mediaType: string;
}

export interface ParameterExample extends Example {
  name: string;
  in: string;
  isRequired: boolean;
}

export interface OperationExamples {
  operationId: string;
  method: string;
  path: string;
  permission: unknown;
  idempotent: boolean;
  mfa: unknown;
  summary: string;
  tag: string;
  parameters: ParameterExample[];
  requests: Body[];
  responses: (Body & { status: number })[];
}

/** Every operation under `paths`, with all of its examples. */
export const operations: OperationExamples[] = operationsOf(contract).map(
  ({ path: route, method, operation, pathItem }) => {
    const name = `${method.toUpperCase()} ${route}`;
    const node = object(dereferenced(operation));
    const shared = object(dereferenced(pathItem))['parameters'];
    const requirement = Object.values(object(list(node['security'])[0]))[0];
    return {
      operationId: String(node['operationId']),
      method,
      path: route,
      permission: list(requirement)[0],
      idempotent: node['x-idempotent'] === true,
      mfa: node['x-mfa'] ?? null,
      summary: String(node['summary']),
      tag: String(list(node['tags'])[0]),
      parameters: [...list(shared), ...list(node['parameters'])].flatMap((parameter) =>
        parameterExamples(object(parameter), name),
      ),
      requests: bodies(node['requestBody'], `${name}, request`),
      responses: Object.entries(object(node['responses'])).flatMap(([status, response]) =>
        bodies(response, `${name}, ${status}`).map((body) => ({ ...body, status: Number(status) })),
      ),
    };
  },
);

/** The bodies and parameters of the events that the service sends. */
export const webhookExamples: Example[] = Object.entries(contract.webhooks ?? {}).flatMap(
  ([event, item]) => {
    const operation = object(object(dereferenced(item))['post']);
    return [
      ...bodies(operation['requestBody'], `webhook ${event}`),
      ...list(operation['parameters']).flatMap((parameter) =>
        parameterExamples(object(parameter), `webhook ${event}`),
      ),
    ];
  },
);

/** The tags that group the operations, in order, with their display names. */
export const tags: { name: string; title: string }[] = (contract.tags ?? []).map((tag) => {
  const title: unknown = tag['x-displayName'];
  return { name: tag.name, title: String(title) };
});

export function schemaNamed(name: string): JsonObject {
  return object(dereferenced(contract.components?.schemas?.[name]));
}

function parameterExamples(parameter: JsonObject, owner: string): ParameterExample[] {
  const name = String(parameter['name']);
  const common = {
    name,
    in: String(parameter['in']),
    isRequired: parameter['required'] === true,
    schema: object(parameter['schema']),
  };
  return valuesOf(parameter).map((value) => ({ ...common, value, place: `${owner}, ${name}` }));
}

function bodies(holder: unknown, place: string): Body[] {
  const content = object(object(holder ?? {})['content'] ?? {});
  return Object.entries(content).flatMap(([mediaType, media]) =>
    valuesOf(object(media)).map((value) => ({
      place: `${place}, ${mediaType}`,
      mediaType,
      schema: object(object(media)['schema']),
      value,
    })),
  );
}

function valuesOf(node: JsonObject): unknown[] {
  const named = Object.values(object(node['examples'] ?? {})).map(
    (example) => object(example)['value'],
  );
  return node['example'] === undefined ? named : [node['example'], ...named];
}

/** A copy without references. A value that is referenced several times is resolved once and shared. */
export function dereferenced(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dereferenced);
  if (!isObject(value)) return value;
  const { $ref, ...siblings } = value;
  const own = Object.fromEntries(
    Object.entries(siblings).map(([key, member]) => [key, dereferenced(member)]),
  );
  if (!isReference(value) || typeof $ref !== 'string') return own;
  if (!followed.has($ref)) followed.set($ref, dereferenced(follow(contract, { $ref })));
  return Object.keys(own).length === 0
    ? followed.get($ref)
    : { ...object(followed.get($ref)), ...own };
}

function object(value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw new Error(`The contract has ${JSON.stringify(value)} where an object is expected.`);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
