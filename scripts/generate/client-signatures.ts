/** Generates the signatures of the client's methods, documented with the text of the contract. */

import type { Argument, ClientMethod } from './client-model.js';
import { camel, comment, optionName, pascal } from './client-text.js';

interface Parameter {
  name: string;
  type: string;
  isOptional: boolean;
}

/** The option that a streaming method adds for each overload, and for its implementation. */
export const streamOptions = {
  off: ' & { stream?: false | undefined }',
  on: ' & { stream: true }',
  either: ' & { stream?: boolean | undefined }',
};

export function signatures(method: ClientMethod): string[] {
  return [signature(method), ...(method.accepted ? [asyncSignature(method)] : [])];
}

function signature(method: ClientMethod): string {
  if (!method.streams) {
    return `${docs(method, 1)}    readonly ${method.name}: (${list(method)}) => ${resultType(method)};`;
  }
  const streamed = `${method.summary}, streamed: the reply piece by piece, then the whole result.`;
  return [
    `    readonly ${method.name}: {`,
    `${docs(method, 2)}        (${list(method, streamOptions.off)}): ${resultType(method)};`,
    `${comment([streamed], 2)}        (${list(method, streamOptions.on)}): InvocationStream;`,
    '    };',
  ].join('\n');
}

function asyncSignature(method: ClientMethod): string {
  const note =
    'Resolves as soon as the service has stored the invocation; `result()` waits for the result, which is also sent to webhooks.\n' +
    'Repeating the call with the same `idempotencyKey` returns the same invocation.';
  const text = comment([`${method.summary}, asynchronously`, note], 1);
  return `${text}    readonly ${method.name}Async: (${list(method)}) => AsyncInvocation;`;
}

function docs(method: ClientMethod, depth: number): string {
  const about = ({ name, description }: Argument) => `@param ${camel(name)} ${description}`;
  const tags = [...method.pathArguments, ...(method.body ? [method.body] : [])].map(about);
  return comment([method.summary, method.description, tags.join('\n')], depth);
}

/** The parameters as code; `stream: true` makes the options required. */
export function list(method: ClientMethod, added = ''): string {
  const options = {
    name: 'options',
    type: optionsName(method) + added,
    isOptional: added !== streamOptions.on,
  };
  return [...leading(method), options]
    .map(({ name, type, isOptional }) => `${name}${isOptional ? '?' : ''}: ${type}`)
    .join(', ');
}

/** The names of the parameters alone. */
export function names(method: ClientMethod): string {
  return [...leading(method).map(({ name }) => name), 'options'].join(', ');
}

function leading(method: ClientMethod): Parameter[] {
  const required = ({ name, type }: Argument): Parameter => ({
    name: camel(name),
    type: qualified(type),
    isOptional: false,
  });
  const query = { name: 'query', type: queryName(method), isOptional: method.query === 'optional' };
  return [
    ...method.pathArguments.map(required),
    ...(method.body ? [required(method.body)] : []),
    ...(method.query === 'none' ? [] : [query]),
  ];
}

/** The client narrows what an invocation returns by its status, which the contract does not tell apart. */
export function resultType({ shape, result, streams }: ClientMethod): string {
  const type = streams ? 'InvocationResult' : qualified(result);
  return shape === 'pages' ? `Pages<${type}>` : `ApiPromise<${type}>`;
}

function queryName({ operationId }: ClientMethod): string {
  return `schema.${pascal(operationId)}Query`;
}

export function optionsInterface(method: ClientMethod): string {
  const members = method.headerOptions.map(
    ({ name, type, description }) =>
      `${comment([description], 1)}    ${optionName(name)}?: ${qualified(type)} | undefined;`,
  );
  return `export interface ${optionsName(method)} extends ${baseOptions(method)} {\n${members.join('\n')}\n}\n`;
}

function optionsName(method: ClientMethod): string {
  const hasOwn = method.headerOptions.length > 0;
  return hasOwn ? `${pascal(method.operationId)}Options` : baseOptions(method);
}

function baseOptions({ isIdempotent }: ClientMethod): string {
  return isIdempotent ? 'IdempotentOptions' : 'RequestOptions';
}

function qualified(type: string): string {
  return type === 'string' ? type : `schema.${type}`;
}
