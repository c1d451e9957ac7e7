/** Reads from the contract what the client's methods are: their group, name, arguments and results. */

import { type Contract, type ContractOperation, operationsOf } from '../lib/contract.js';
import { Failure } from '../lib/failure.js';
import { follow, isObject, isReference, type JsonObject } from '../lib/json.js';

export interface Argument {
  /** As the contract writes it. */
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
  /** Headers that a caller may set through an option; those that the client looks after are not among them. */
  headerOptions: Argument[];
  query: 'none' | 'optional' | 'required';
  body: Argument | undefined;
  /** The type of the object, or of each item of a list. */
  result: string;
  shape: 'object' | 'page' | 'pages';
  /** The most items that a page may hold, for lists that are read page by page. */
  pageSize: number;
  isKeyed: boolean;
  isSafe: boolean;
  streams: boolean;
  /** The type of the answer to an asynchronous call, if there is such a form. */
  accepted: string | undefined;
}

/** What the client sets by itself. */
const looksAfter = ['Prefer'];

export function clientMethods(contract: Contract): ClientMethod[] {
  const methods = operationsOf(contract).map((operation) => methodOf(contract, operation));
  const taken = new Map<string, ClientMethod>();
  for (const method of methods) {
    const name = `${method.group}.${method.name}`;
    const other = taken.get(name);
    if (other) {
      throw new Failure(
        `${method.operationId} and ${other.operationId} would both be client.${name}; rename one of them.`,
      );
    }
    taken.set(name, method);
  }
  return methods;
}

function methodOf(contract: Contract, found: ContractOperation): ClientMethod {
  const { path, method, operation, pathItem } = found;
  const look = (value: unknown): JsonObject => {
    const target = follow(contract, value);
    return isObject(target) ? target : {};
  };
  const parameters = [...(pathItem.parameters ?? []), ...(operation.parameters ?? [])].map(look);
  const at = (place: string) => parameters.filter((parameter) => parameter['in'] === place);
  const responses: JsonObject = { ...operation.responses };
  const answer = look(responses['200'] ?? responses['201']);
  const envelope = look(jsonSchema(answer));
  const properties = look(envelope['properties']);
  const isList = properties['pagination'] !== undefined;
  const offset = at('query').some((parameter) => parameter['name'] === 'offset');
  const limit = at('query').find((parameter) => parameter['name'] === 'limit');
  const shape = isList ? (offset ? 'pages' : 'page') : 'object';
  const operationId = operation.operationId ?? '';
  const accepted = look(responses['202']);
  const body = jsonSchema(look(operation.requestBody));
  const argument = (parameter: JsonObject): Argument => ({
    name: text(parameter['name']),
    type: isReference(parameter['schema']) ? nameOf(parameter['schema'], operationId) : 'string',
    description: text(parameter['description']),
  });
  const roles = (operation.security ?? []).flatMap((requirement) =>
    Object.values(requirement).flat(),
  );

  return {
    operationId,
    group: operation.tags?.[0] ?? '',
    name: methodName(operationId, shape),
    httpMethod: method.toUpperCase(),
    path,
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    pathArguments: at('path').map(argument),
    headerOptions: at('header')
      .map(argument)
      .filter(({ name }) => !looksAfter.includes(name)),
    query:
      at('query').length === 0
        ? 'none'
        : at('query').some((parameter) => parameter['required'] === true)
          ? 'required'
          : 'optional',
    body:
      body === undefined
        ? undefined
        : {
            name: 'body',
            type: nameOf(body, operationId),
            description: text(look(body)['description']),
          },
    result: nameOf(isList ? look(properties['data'])['items'] : properties['data'], operationId),
    shape,
    pageSize: Math.min(100, Number(look(limit?.['schema'])['maximum'] ?? 100)),
    isKeyed: operationIsMarked(operation),
    isSafe: method === 'post' && roles.every((role) => role === 'read'),
    streams: look(answer['content'])['text/event-stream'] !== undefined,
    accepted:
      responses['202'] === undefined
        ? undefined
        : nameOf(look(look(jsonSchema(accepted))['properties'])['data'], operationId),
  };
}

/**
 * The rule of the names: the group is the tag, the method is the verb that the operationId begins with. A list that is
 * read page by page is always `list`, so that every one is read in the same way.
 */
function methodName(operationId: string, shape: ClientMethod['shape']): string {
  const [verb = ''] = /^[a-z]+/.exec(operationId) ?? [];
  return shape === 'pages' ? 'list' : verb;
}

function operationIsMarked(operation: object): boolean {
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
    `${operationId} has a body that is no schema of its own; put it into schemas/ and refer to it.`,
  );
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
