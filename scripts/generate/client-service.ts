/** Generates the constants that the client needs at run time: the default URL, headers, enumerations and errors. */

import type { Contract } from '../lib/contract.js';
import { Failure } from '../lib/failure.js';
import { isObject, type JsonObject } from '../lib/json.js';
import type { ClientMethod } from './client-model.js';
import { comment, optionName, pascal } from './client-text.js';
import { header } from './step.js';

interface KnownError {
  code: string;
  status: unknown;
  className: string;
  description: string;
}

export function knownErrors(contract: Contract): KnownError[] {
  const schema: unknown = contract.components?.schemas?.['ErrorCode'];
  const statuses = member(schema, 'x-http-status');
  const descriptions = member(schema, 'x-enumDescriptions');
  return Object.entries(statuses).map(([code, status]) => ({
    code,
    status,
    className: className(code),
    description: String(descriptions[code]),
  }));
}

function member(schema: unknown, name: string): JsonObject {
  const found = isObject(schema) ? schema[name] : undefined;
  if (isObject(found)) return found;
  throw new Failure(`schemas/ErrorCode.yaml must have ${name}, with an entry for each code.`);
}

/** `server_error` is a ServerError, `not_found` a NotFoundError. */
function className(code: string): string {
  const name = pascal(code);
  return name.endsWith('Error') ? name : `${name}Error`;
}

export function errorsSource(errors: KnownError[]): string {
  const classes = errors.map(
    ({ code, status, className: name, description }) =>
      `${comment([`\`${code}\` (${String(status)}). ${description}`], 0)}export class ${name} extends ApiError {}\n`,
  );
  return `// ${header}\n\nimport { ApiError } from '../errors.js';\n\n${classes.join('\n')}`;
}

/** The enumerations that the command line offers as choices. */
const enumerated = {
  eventTypes: 'EventType',
  granularities: 'Granularity',
  permissions: 'Permission',
};

function enumValues(contract: Contract, name: string): string[] {
  const schema: unknown = contract.components?.schemas?.[name];
  const values = isObject(schema) ? schema['enum'] : undefined;
  if (Array.isArray(values)) return values.map((value) => `'${String(value)}'`);
  throw new Failure(`schemas/${name}.yaml must have an enum: the client lists its values.`);
}

/** A regular expression literal; the client escapes characters that do not match it. */
function printablePattern(contract: Contract): string {
  const schema: unknown = contract.components?.schemas?.['PrintableText'];
  const pattern = isObject(schema) ? schema['pattern'] : undefined;
  if (typeof pattern === 'string') return String(new RegExp(pattern, 'u'));
  throw new Failure('schemas/PrintableText.yaml must have a pattern: the command line uses it.');
}

export function serviceSource(
  contract: Contract,
  methods: ClientMethod[],
  errors: KnownError[],
  clientVersion: string,
): string {
  const classes = errors.map(
    ({ status, className: name }) => `    ${String(status)}: error.${name},`,
  );
  const failure: unknown = contract.components?.schemas?.['InvocationFailure'];
  // A stream whose invocation is cancelled by another request ends with the conflict that repeats get.
  const inStream = errors.filter(
    ({ code }) => code === 'conflict' || JSON.stringify(failure).includes(`"${code}"`),
  );
  const headers = [
    ...new Set(methods.flatMap(({ headerOptions }) => headerOptions.map(({ name }) => name))),
  ];
  const lists = methods.filter(({ shape, query }) => shape === 'pages' && query !== 'none');
  const enumerations = Object.entries(enumerated).map(
    ([name, schema]) =>
      `export const ${name}: schema.${schema}[] = [${enumValues(contract, schema).join(', ')}];`,
  );
  return `// ${header}

import type { ApiError } from '../errors.js';
import * as error from './errors.js';
import type * as schema from './schema.js';

/** The version in package.json. */
export const clientVersion = '${clientVersion}';

export const defaultBaseUrl = '${contract.servers?.[0]?.url ?? ''}';

/** The page size for reading a whole list; every list allows it. */
export const pageSize = ${Math.min(100, ...methods.map(({ maxPageSize }) => maxPageSize))};

/** The largest page of each list. */
export const maxPageSizes = {
${lists.map(({ operationId, maxPageSize }) => `    ${operationId}: ${maxPageSize},`).join('\n')}
};

${enumerations.join('\n')}

/** Text that a terminal shows as it is. */
export const printableText = ${printablePattern(contract)};

/** The options that are sent as headers. */
export interface HeaderOptions {
${headers.map((name) => `    ${optionName(name)}?: string | undefined;`).join('\n')}
}

export function headersFrom(options: HeaderOptions = {}) {
    return {
${headers.map((name) => `        '${name.toLowerCase()}': options.${optionName(name)},`).join('\n')}
    };
}

export const errorClasses: Partial<Record<number, typeof ApiError>> = {
${classes.join('\n')}
};

/** The status of each error that can end a stream; the stream's own status was sent before. */
export const streamStatuses: Partial<Record<string, number>> = {
${inStream.map(({ code, status }) => `    ${code}: ${String(status)},`).join('\n')}
};
`;
}
