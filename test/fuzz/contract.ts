/** The bundled contract as the fuzzer reads it: operations, and every schema with its position. */
import { operationsOf } from '../../scripts/lib/contract.js';
import { follow, isObject, isReference, type JsonObject } from '../../scripts/lib/json.js';
import { contract } from '../helpers/service/contract.js';

/** A node of the contract, with references followed, and the JSON pointer to it. */
export interface Place {
  pointer: string;
  node: JsonObject;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  isRequired: boolean;
  pointer: string;
  schema: Place;
}

export interface Operation {
  operationId: string;
  method: string;
  path: string;
  pointer: string;
  permission: string;
  /** The resource that the operation is about. */
  tag: string;
  isIdempotent: boolean;
  parameters: Parameter[];
  /** The schema of a JSON body; undefined if the operation takes none. */
  body: Place | undefined;
  /** By status. */
  responses: Map<number, Place>;
}

export const operations: Operation[] = operationsOf(contract).map(
  ({ path, method, operation, pathItem }) => {
    const item = place(`#/paths/${escaped(path)}`, pathItem);
    const own = child(item, method);
    const parameters = [item, own].flatMap((holder) => itemsOf(holder, 'parameters'));
    const body = child(own, 'requestBody', 'content', 'application/json', 'schema');
    const [requirement] = listOf(own.node['security']);
    return {
      operationId: String(operation.operationId),
      method: method.toUpperCase(),
      path,
      pointer: own.pointer,
      permission: String(listOf(Object.values(objectOf(requirement))[0])[0]),
      tag: String(listOf(own.node['tags'])[0]),
      isIdempotent: own.node['x-idempotent'] === true,
      parameters: parameters.map(parameterAt),
      body: Object.keys(body.node).length === 0 ? undefined : body,
      responses: new Map(
        Object.keys(objectOf(own.node['responses'])).map((status) => [
          Number(status),
          child(own, 'responses', status),
        ]),
      ),
    };
  },
);

export function operationOf(operationId: string): Operation {
  const found = operations.find((operation) => operation.operationId === operationId);
  if (!found) throw new Error(`The contract has no operation ${operationId}.`);
  return found;
}

/** The HTTP status of each error code, as the schema of the codes says. */
export const statusOfCode: JsonObject = findExtension(contract, 'x-http-status');

/** A node inside another one. References are followed, so the pointer names the actual position. */
export function child(from: Place, ...keys: (string | number)[]): Place {
  return keys.reduce<Place>(
    ({ pointer, node }, key) => place(`${pointer}/${escaped(String(key))}`, node[key]),
    from,
  );
}

/** The items of a list inside another node. */
export function itemsOf(from: Place, key: string): Place[] {
  return listOf(from.node[key]).map((item, index) =>
    place(`${from.pointer}/${escaped(key)}/${index}`, item),
  );
}

/** Each member of an object inside another node, by name. */
export function membersOf(from: Place, key: string): [string, Place][] {
  return Object.keys(objectOf(from.node[key])).map((name) => [name, child(from, key, name)]);
}

function place(pointer: string, value: unknown): Place {
  if (!isReference(value)) return { pointer, node: objectOf(value) };
  const { $ref, ...siblings } = value;
  return { pointer: $ref, node: { ...objectOf(follow(contract, value)), ...siblings } };
}

function parameterAt({ pointer, node }: Place): Parameter {
  const where = node['in'];
  if (where !== 'path' && where !== 'query' && where !== 'header') {
    throw new Error(`${pointer}: a parameter in ${String(where)} is not supported.`);
  }
  return {
    name: String(node['name']),
    in: where,
    isRequired: node['required'] === true,
    pointer,
    schema: withExamples(child({ pointer, node }, 'schema'), node),
  };
}

/** The example of a parameter is an example of its schema. */
function withExamples(schema: Place, { example }: JsonObject): Place {
  return example === undefined
    ? schema
    : { ...schema, node: { ...schema.node, examples: [example] } };
}

function findExtension(value: unknown, name: string): JsonObject {
  const found = search(value, name);
  if (!isObject(found)) throw new Error(`Nothing in the contract has ${name}.`);
  return found;
}

function search(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (name in value) return Reflect.get(value, name);
  for (const member of Object.values(value)) {
    const found = search(member, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
