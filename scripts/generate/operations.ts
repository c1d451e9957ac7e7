/** Writes the route table: what the server and the client need to know of each operation, read from the contract. */

import { type Contract, type ContractOperation, operationsOf } from '../lib/contract.js';
import { Failure } from '../lib/failure.js';
import { isObject } from '../lib/json.js';
import { plural } from '../lib/terminal.js';
import { queryDefaults } from './query-defaults.js';
import { header, type Step } from './step.js';

export const operations: Step = {
  name: 'operations',
  outputs: ['operations.ts'],
  waitsForContract: true,
  async make(inputs) {
    const contract = await inputs.contract();
    const listed = operationsOf(contract);
    const routes = listed.map(routeOf);
    refuseDuplicates(routes);
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
  mfa: MfaOperation | null;
  hasBody: boolean;
  statuses: number[];
}

/** What a manifest calls the operations for which it can demand a one-time code. */
const mfaOperations = ['update', 'delete'] as const;
type MfaOperation = (typeof mfaOperations)[number];

function routeOf({ path, method, operation }: ContractOperation): Route {
  const idempotent: unknown = operation['x-idempotent'];
  const roles = (operation.security ?? [])
    .flatMap((requirement) => Object.values(requirement).flat())
    .map(String);
  const require = (value: string | undefined, what: string): string => {
    if (value !== undefined) return value;
    throw new Failure(`${place({ method, path })} ${what}`);
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
    mfa: mfaOf(operation['x-mfa'], place({ method, path })),
    hasBody: operation.requestBody !== undefined,
    statuses: Object.keys(operation.responses ?? {}).map(Number),
  };
}

function mfaOf(mark: unknown, where: string): MfaOperation | null {
  const known = mfaOperations.find((name) => name === mark) ?? null;
  if (known !== null || mark === undefined) return known;
  throw new Failure(`${where} has an x-mfa that is none of ${mfaOperations.join(', ')}.`);
}

function refuseDuplicates(routes: Route[]): void {
  const first = new Map<string, Route>();
  for (const route of routes) {
    const other = first.get(route.operationId);
    if (other) {
      throw new Failure(
        `${place(route)} and ${place(other)} share the operationId ${route.operationId}; rename one of them.`,
      );
    }
    first.set(route.operationId, route);
  }
}

function place({ method, path }: Pick<Route, 'method' | 'path'>): string {
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

export type OperationId = keyof contract;

export type Method = ${methods.map((method) => JSON.stringify(method)).join(' | ')};

/** What the pipeline in front of a handler needs to know of its operation. */
export interface Route {
    readonly operationId: OperationId;
    readonly method: Method;
    readonly path: string;
    readonly tag: string;
    readonly permission: Permission;
    readonly idempotent: boolean;
    /** The name under which a manifest can demand a one-time code for it. */
    readonly mfa: ${mfaOperations.map((name) => JSON.stringify(name)).join(' | ')} | null;
    readonly hasBody: boolean;
    readonly statuses: readonly number[];
}

export const operations = {
${routes.map(entry).join('\n')}
} as const satisfies Record<OperationId, Route>;

/** The query parameters that validation fills in where a request leaves them out, and with what. */
export interface QueryDefaults {
${routes.map((route, index) => `    ${route.operationId}: ${literalType(defaults[index] ?? [])};`).join('\n')}
}

/** The query of a validated request: a parameter with a default is always there. */
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
