/** Derives the client's methods from the contract: their group, name, arguments and results. */

import { type Contract, type ContractOperation, operationsOf } from '../lib/contract.js';
import { Failure } from '../lib/failure.js';
import { followObject, isObject, isReference, type JsonObject } from '../lib/json.js';

export interface Argument {
  /** The name in the contract. */
  name: string;
  type: string;
  description: string;
}

export interface ClientMethod {
  operationId: string;
  group: string;
  name: string;
  httpMethod: string;
  path: string;
  summary: string;
  description: string;
  pathArguments: Argument[];
  /** Headers that a caller may set through an option, without those that the client sets itself. */
  headerOptions: Argument[];
  query: 'none' | 'optional' | 'required';
  body: Argument | undefined;
  /** The type of the object, or of each item of a list. */
  result: string;
  shape: 'object' | 'pages';
  /** The largest `limit` that a list allows. */
  maxPageSize: number;
  isIdempotent: boolean;
  streams: boolean;
  /** The type of the response to an asynchronous call, if the operation supports one. */
  accepted: string | undefined;
}

const headersSetByClient = ['Prefer', 'Last-Event-ID'];

export function clientMethods(contract: Contract): ClientMethod[] {
  const methods = operationsOf(contract).map((operation) => methodOf(contract, operation));
  const byName = new Map<string, ClientMethod>();
  for (const method of methods) {
    const name = `${method.group}.${method.name}`;
    const other = byName.get(name);
    if (other) {
      throw new Failure(
        `${method.operationId} and ${other.operationId} would both be client.${name}; rename one of them.`,
      );
    }
    byName.set(name, method);
  }
  return methods;
}

function methodOf(contract: Contract, found: ContractOperation): ClientMethod {
  const { path, method, operation, pathItem } = found;
  const operationId = operation.operationId ?? '';
  const resolve = (value: unknown) => followObject(contract, value);
  const parameters = [...(pathItem.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  const parametersIn = (location: string) =>
    parameters.filter((parameter) => parameter['in'] === location);
  const argument = (parameter: JsonObject): Argument => ({
    name: text(parameter['name']),
    type: isReference(parameter['schema']) ? nameOf(parameter['schema'], operationId) : 'string',
    description: text(parameter['description']),
  });
  const query = parametersIn('query');
  const queryParameter = (name: string) => query.find((parameter) => parameter['name'] === name);
  const responses: JsonObject = { ...operation.responses };
  const success = resolve(responses['200'] ?? responses['201']);
  const properties = envelopeProperties(success, resolve);
  const isList = properties['pagination'] !== undefined;
  const body = jsonSchema(resolve(operation.requestBody));

  return {
    operationId,
    group: operation.tags?.[0] ?? '',
    name: isList && method === 'get' ? 'list' : verbOf(operationId),
    httpMethod: method,
    path,
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    pathArguments: parametersIn('path').map(argument),
    headerOptions: parametersIn('header')
      .map(argument)
      .filter(({ name }) => !headersSetByClient.includes(name)),
    query: queryKind(query),
    body:
      body === undefined
        ? undefined
        : {
            name: 'body',
            type: nameOf(body, operationId),
            description: text(resolve(body)['description']),
          },
    result: nameOf(isList ? resolve(properties['data'])['items'] : properties['data'], operationId),
    shape: isList ? 'pages' : 'object',
    maxPageSize: Number(resolve(queryParameter('limit')?.['schema'])['maximum'] ?? 100),
    isIdempotent: hasIdempotencyKey(operation),
    streams: resolve(success['content'])['text/event-stream'] !== undefined,
    accepted:
      responses['202'] === undefined
        ? undefined
        : nameOf(envelopeProperties(resolve(responses['202']), resolve)['data'], operationId),
  };
}

function envelopeProperties(
  response: JsonObject,
  resolve: (value: unknown) => JsonObject,
): JsonObject {
  return resolve(resolve(jsonSchema(response))['properties']);
}

function queryKind(query: JsonObject[]): ClientMethod['query'] {
  if (query.length === 0) return 'none';
  return query.some((parameter) => parameter['required'] === true) ? 'required' : 'optional';
}

/**
 * Naming rule: the group is the tag, and the method is the verb at the start of the operationId. A list that is read with GET
 * is always named `list`.
 */
function verbOf(operationId: string): string {
  const [verb = ''] = /^[a-z]+/.exec(operationId) ?? [];
  return verb;
}

function hasIdempotencyKey(operation: object): boolean {
  return 'x-idempotent' in operation && operation['x-idempotent'] === true;
}

function jsonSchema(holder: JsonObject): unknown {
  const content = holder['content'];
  const media = isObject(content) ? content['application/json'] : undefined;
  return isObject(media) ? media['schema'] : undefined;
}

function nameOf(schema: unknown, operationId: string): string {
  if (isReference(schema)) return schema.$ref.split('/').pop() ?? '';
  throw new Failure(
    `${operationId} has an inline body schema; put it into schemas/ and refer to it.`,
  );
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
