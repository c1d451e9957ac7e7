/** A request with references that are resolved when it is sent. */
import fc from 'fast-check';
import { isObject } from '../../scripts/lib/json.js';
import { membersOf, type Operation, type Parameter } from './contract.js';
import { kindOf, Reference } from './reference.js';
import { shapeOf } from './schema.js';
import { valueOf } from './values.js';

export interface Template {
  operation: Operation;
  /** A method other than the operation's. */
  method?: string;
  /** Strings and references. */
  path: Record<string, unknown>;
  /** In the order in which they are sent; a name may occur twice. */
  query: [string, unknown][];
  headers: Record<string, string>;
  /** JSON with references inside. */
  body?: unknown;
  /** Sent unchanged, instead of the body. */
  raw?: string | Buffer;
  /** The index of a key, or a defect of the key; undefined for the key with every permission. */
  caller?: number | 'none' | 'unknown' | 'revoked' | 'unpermitted';
}

/** Replaced by a new Idempotency-Key each time. */
export const freshKey = 'a-new-key';

/** A value that may or may not be rejected, depending on an earlier request that the model does not track. */
const stateful: Record<string, string | undefined> = { 'Last-Event-ID': '0' };

/** Requests that satisfy the contract's rules for parameters and body. */
export function validTemplates(operation: Operation): fc.Arbitrary<Template> {
  const of = (where: Parameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === where);
  const recordOf = (parameters: Parameter[]) =>
    fc.oneof(some(parameters.filter(({ isRequired }) => isRequired)), some(parameters));
  const some = (parameters: Parameter[]) =>
    fc.record(
      Object.fromEntries(
        parameters.map(({ name, schema }) => [
          name,
          valueOf(shapeOf(schema), name).filter((value) => value !== stateful[name]),
        ]),
      ),
      {
        requiredKeys: parameters.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
        noNullPrototype: true,
      },
    );
  const body = operation.body ? valueOf(shapeOf(operation.body)) : fc.constant(undefined);
  return fc
    .tuple(
      recordOf(of('path')),
      recordOf(of('query')),
      recordOf(of('header')),
      body,
      accepts(operation),
    )
    .map(([path, query, headers, json, accept]) => ({
      operation,
      path,
      query: Object.entries(query),
      headers: { ...(headers as Record<string, string>), ...accept },
      ...(json === undefined ? {} : { body: json }),
    }));
}

/** The same request about existing resources and without optional parts, so that only the violation can be rejected. */
export function minimal({ operation, path, query, headers, body }: Template): Template {
  const isRequired = (name: string) =>
    operation.parameters.some((parameter) => parameter.name === name && parameter.isRequired);
  const accept = headers['Accept'];
  return {
    operation,
    path: Object.fromEntries(
      Object.entries(path).map(([name, value]) => {
        const kind = kindOf(name);
        return [name, kind === undefined ? value : new Reference(kind, 0, 'id', false)];
      }),
    ),
    query: query.filter(([name]) => isRequired(name)),
    headers: accept === undefined ? {} : { Accept: accept },
    ...(body === undefined ? {} : { body: reduced(operation, body) }),
  };
}

/** Only the required fields; all fields if none is required, since an empty body may be invalid. */
function reduced(operation: Operation, body: unknown): unknown {
  const required = operation.body ? shapeOf(operation.body).required : new Set<string>();
  if (!isObject(body) || required.size === 0) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => required.has(name)));
}

/** Sends some of them with another key, which may have fewer permissions, one agent only, or be revoked. */
export function withCallers(templates: fc.Arbitrary<Template>): fc.Arbitrary<Template> {
  return fc
    .tuple(templates, fc.option(fc.constantFrom(0, 1, 2, 3, 4, 5, 6), { freq: 1, nil: undefined }))
    .map(([template, caller]) => (caller === undefined ? template : { ...template, caller }));
}

/** Each media type of a successful response. */
function accepts(operation: Operation): fc.Arbitrary<Record<string, string>> {
  const types = mediaTypesOf(operation);
  if (types.length < 2) return fc.constant({});
  return fc.constantFrom({}, ...types.map((type) => ({ Accept: type })));
}

export function mediaTypesOf({ responses }: Operation): string[] {
  const types = [...responses].flatMap(([status, response]) =>
    status < 300 ? membersOf(response, 'content').map(([type]) => type) : [],
  );
  return [...new Set(types)];
}
