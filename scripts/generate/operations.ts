/** Generates the route table: what the request pipeline needs to know about each operation. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Contract, type ContractOperation, operationsOf } from '../lib/contract.js';
import { Failure } from '../lib/failure.js';
import { follow, followObject, isObject } from '../lib/json.js';
import { plural } from '../lib/terminal.js';
import { header, type Step } from './step.js';

export const operations: Step = {
  name: 'operations',
  outputs: ['operations.ts'],
  waitsForContract: true,
  async make(inputs) {
    const contract = await inputs.contract();
    const listed = operationsOf(contract);
    const mfaNames = await mfaOperationNames(inputs.spec);
    const routes = listed.map((operation) => routeOf(contract, operation, mfaNames));
    assertUniqueIds(routes);
    const statuses = errorStatuses(contract);
    const defaults = listed.map((operation) => queryDefaults(contract, operation));
    return {
      summary: `${plural(routes.length, 'route')}, ${plural(statuses.length, 'error code')}`,
      files: { 'operations.ts': source(routes, defaults, statuses) },
    };
  },
};

interface Route {
  operationId: string;
  method: string;
  path: string;
  tag: string;
  permission: string;
  idempotent: boolean;
  mfa: string | null;
  hasBody: boolean;
  streams: boolean;
  statuses: number[];
}

/** The operations for which a manifest can require a one-time code. */
async function mfaOperationNames(spec: string): Promise<string[]> {
  const manifest: unknown = parse(await readFile(join(spec, 'agent-manifest.yaml'), 'utf8'));
  const names = follow(manifest, { $ref: '#/$defs/Mfa/properties/operations/items/enum' });
  if (Array.isArray(names)) return names.map(String);
  throw new Failure('agent-manifest.yaml must list the operations of Mfa as an enum.');
}

function routeOf(
  contract: Contract,
  { path, method, operation }: ContractOperation,
  mfaNames: string[],
): Route {
  const idempotent: unknown = operation['x-idempotent'];
  const roles = (operation.security ?? [])
    .flatMap((requirement) => Object.entries(requirement))
    .flatMap(([scheme, permissions]) => (scheme === 'apiKey' ? permissions : []))
    .map(String);
  const require = (value: string | undefined, what: string): string => {
    if (value !== undefined) return value;
    throw new Failure(`${describe({ method, path })} ${what}`);
  };
  return {
    operationId: require(operation.operationId, 'has no operationId; give it one in camelCase.'),
    method,
    path,
    tag: require(operation.tags?.[0], 'has no tag; name the group that it belongs to.'),
    permission: require(roles.length === 1
      ? roles[0]
      : undefined, 'must name exactly one permission in its security requirement, like [{ apiKey: [read] }].'),
    idempotent: idempotent === true,
    mfa: mfaOf(operation['x-mfa'], mfaNames, describe({ method, path })),
    hasBody: operation.requestBody !== undefined,
    streams: Object.values(operation.responses ?? {}).some((response) => {
      const content = followObject(contract, response)['content'];
      return isObject(content) && 'text/event-stream' in content;
    }),
    statuses: Object.keys(operation.responses ?? {}).map(Number),
  };
}

function mfaOf(name: unknown, names: string[], operation: string): string | null {
  if (name === undefined) return null;
  if (typeof name === 'string' && names.includes(name)) return name;
  throw new Failure(`${operation} has an x-mfa that is not one of ${names.join(', ')}.`);
}

/** The query parameters with a default. Validation sets it, so handlers can rely on a value. */
function queryDefaults(
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

function assertUniqueIds(routes: Route[]): void {
  const first = new Map<string, Route>();
  for (const route of routes) {
    const other = first.get(route.operationId);
    if (other) {
      throw new Failure(
        `${describe(route)} and ${describe(other)} share the operationId ${route.operationId}; rename one of them.`,
      );
    }
    first.set(route.operationId, route);
  }
}

function describe({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`;
}

function errorStatuses(contract: Contract): Pairs {
  const schema: unknown = contract.components?.schemas?.['ErrorCode'];
  const statuses: unknown = isObject(schema) ? schema['x-http-status'] : undefined;
  if (isObject(statuses)) return Object.entries(statuses);
  throw new Failure('schemas/ErrorCode.yaml must map each code to its status under x-http-status.');
}

type Pairs = [name: string, value: unknown][];

function source(routes: Route[], defaults: Pairs[], statuses: Pairs): string {
  const methods = [...new Set(routes.map((route) => route.method))];
  return `// ${header}

import type { ErrorCode, Permission, operations as contract } from './api.js';
import type { Mfa } from './manifest.js';

export type OperationId = keyof contract;

export type Method = ${methods.map((method) => JSON.stringify(method)).join(' | ')};

/** What the request pipeline needs to know about an operation. */
export interface Route {
    readonly operationId: OperationId;
    readonly method: Method;
    readonly path: string;
    readonly tag: string;
    readonly permission: Permission;
    readonly idempotent: boolean;
    /** The name under which a manifest can require a one-time code for it. */
    readonly mfa: Mfa["operations"][number] | null;
    readonly hasBody: boolean;
    /** Whether it can respond with server-sent events. */
    readonly streams: boolean;
    readonly statuses: readonly number[];
}

export const operations = {
${routes.map(entry).join('\n')}
} as const satisfies Record<OperationId, Route>;

/** The default values that validation sets for omitted query parameters. */
export interface QueryDefaults {
${routes.map((route, index) => `    ${route.operationId}: ${literalType(defaults[index] ?? [])};`).join('\n')}
}

/** The query of a validated request: a parameter with a default is always present. */
export type Query<Id extends OperationId> = WithDefaults<
    NonNullable<contract[Id]['parameters']['query']>,
    QueryDefaults[Id]
>;

type WithDefaults<Parameters, Defaults> = [Parameters] extends [never]
    ? object
    : Omit<Parameters, keyof Defaults> & Required<Pick<Parameters, keyof Parameters & keyof Defaults>>;

/** The HTTP status of each error code. */
export const errorStatus = {
${statuses.map(([code, status]) => `    ${code}: ${JSON.stringify(status)},`).join('\n')}
} as const satisfies Record<ErrorCode, number>;
`;
}

function literalType(pairs: Pairs): string {
  if (pairs.length === 0) return 'Record<never, never>';
  return `{ ${pairs.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('; ')} }`;
}

function entry(route: Route): string {
  const lines = Object.entries(route).map(
    ([key, value]) => `        ${key}: ${JSON.stringify(value).replaceAll(',', ', ')},`,
  );
  return [`    ${route.operationId}: {`, ...lines, '    },'].join('\n');
}
