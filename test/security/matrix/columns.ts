/**
 * The columns of the matrix: every operation of the contract, in each form in which it can name a resource. They are
 * derived from the contract, so a new operation is included automatically.
 */
import type { OperationId } from '../../../generated/operations.js';
import type { Call } from '../../helpers/service/api.js';
import { operations, type OperationExamples } from '../../helpers/service/contract.js';
import type { Names } from '../../helpers/service/valid-call.js';

export interface Column {
  /** The operation and its form, for messages: `getAgent by name`. */
  name: string;
  operation: OperationExamples & { operationId: OperationId };
  /** The form of the call; empty for the default form. */
  form: string;
  /** A valid call about these resources. */
  callAbout: (names: Names) => Call;
}

/** The values of a call by parameter or field name; undefined omits a field. */
type Values = Record<string, string | undefined>;

interface Form {
  label: string;
  values?: (names: Names) => Values;
  filters?: readonly string[];
  /** Which example of the request it sends; by default the first. */
  example?: number;
  /** Fields in addition to those of the example. */
  fields?: Record<string, string>;
  headers?: Record<string, string>;
}

export const byName = ' by name';
/** Only some of the callers who may invoke may do this. */
export const inDraft = ' in the draft';
/** Nobody can: nothing waits. */
export const deciding = ' deciding calls of the user';

/** The query parameters that select resources, with the names of their values. */
const filterable: Record<string, string> = {
  agent_id: 'agent_id',
  name: 'agent_name',
  request_id: 'request_id',
};

export const columns: Column[] = operations.flatMap((described) => {
  const operation = described as Column['operation'];
  return formsOf(operation).map((form) => ({
    name: `${operation.operationId}${form.label}`,
    operation,
    form: form.label,
    callAbout: (names) => callOf(operation, form, names),
  }));
});

function formsOf({
  operationId,
  path,
  parameters,
  requests,
  responses,
}: OperationExamples): Form[] {
  const body = JSON.stringify(requests[0]?.value ?? null);
  const has = (field: string) => body.includes(`"${field}":`);
  const isOptional = (field: string) => !asList(requests[0]?.schema['required']).includes(field);
  const filters = parameters.filter(
    (parameter) => parameter.in === 'query' && parameter.name in filterable,
  );
  const forms: (Form | false)[] = [
    { label: '' },
    (path.includes('{agent_id}') || has('agent_id')) && {
      label: byName,
      values: ({ agent_name }) => ({ agent_id: agent_name }),
    },
    has('agent_id') &&
      isOptional('agent_id') && {
        label: ' for the whole account',
        values: () => ({ agent_id: undefined }),
      },
    has('user_id') && {
      label: ' naming the user',
      values: ({ user_id }) => ({ user_id }),
    },
    operationId === 'invokeAgent' && { label: inDraft, fields: { environment: 'draft' } },
    operationId === 'invokeAgent' && { label: deciding, example: 1 },
    parameters.some(({ name }) => name === 'Prefer') && {
      label: ' asynchronously',
      headers: { prefer: 'respond-async' },
    },
    responses.some(({ mediaType }) => mediaType === 'text/event-stream') && {
      label: ' as a stream',
      headers: { accept: 'text/event-stream' },
    },
    ...filters.map(({ name }) => ({ label: `?${name}`, filters: [name] })),
  ];
  return forms.filter((form) => form !== false);
}

function callOf(
  { path, parameters, requests }: OperationExamples,
  { values, filters = [], example = 0, fields = {}, headers = {} }: Form,
  names: Names,
): Call {
  // The session always belongs to the user who talked to the agent, so every caller tries to continue it.
  const said: Values = { ...names, user_id: undefined, query: 'parcel', ...values?.(names) };
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const asked = query.flatMap(({ name, isRequired, value, schema }): [string, string][] => {
    if (filters.includes(name)) return [[name, names[filterable[name] ?? ''] ?? '']];
    if (name === 'limit') return [[name, String(schema['maximum'])]];
    return isRequired ? [[name, String(value)]] : [];
  });
  const body = requests[example]?.value;
  return {
    path: Object.fromEntries(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, said[name] ?? '']),
    ),
    query: Object.fromEntries(asked),
    headers,
    ...(body === undefined ? {} : { body: Object.assign(fill(body, said) ?? {}, fields) }),
  };
}

/** The example with these values in fields of the same name, and without objects that became empty. */
function fill(example: unknown, values: Values): unknown {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
  const fields = Object.entries(example).map(([name, value]) => [
    name,
    name in values && typeof value === 'string' ? values[name] : fill(value, values),
  ]);
  const kept = fields.filter(([, value]) => value !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
