/** Generates the methods of the client: an interface for each group, and the implementation. */

import type { Contract } from '../lib/contract.js';
import type { ClientMethod } from './client-model.js';
import {
  list,
  names,
  optionsInterface,
  resultType,
  signatures,
  streamOptions,
} from './client-signatures.js';
import { camel, comment, pascal } from './client-text.js';
import { header } from './step.js';

interface Group {
  name: string;
  description: string;
  methods: ClientMethod[];
}

export function resourcesSource(contract: Contract, methods: ClientMethod[]): string {
  const groups = (contract.tags ?? []).flatMap(({ name, description = '' }): Group[] => {
    const own = methods.filter((method) => method.group === name);
    return own.length === 0 ? [] : [{ name, description, methods: own }];
  });
  const options = methods.filter((method) => method.headerOptions.length > 0).map(optionsInterface);
  const members = groups.map(
    ({ name, description }) => `${comment([description], 1)}    readonly ${name}: ${pascal(name)};`,
  );
  const streaming = methods.filter(({ streams }) => streams).map(streamingFunction);

  return `// ${header}

import type { ApiClient } from '../api-client.js';
import type { ApiPromise } from '../api-promise.js';
import type { AsyncInvocation } from '../async-invocation.js';
import type { InvocationResult } from '../invocation.js';
import type { IdempotentOptions, RequestOptions } from '../options.js';
import type { Pages } from '../pagination.js';
import type { InvocationStream } from '../streaming.js';
import type * as schema from './schema.js';

${options.join('\n')}
${groups.map(groupInterface).join('\n')}
/** Every operation of the contract. */
export interface Resources {
${members.join('\n')}
}

export function createResources({ request, stream, submit, list }: ApiClient): Resources {
${streaming.join('\n')}
    return {
${groups.map(groupCalls).join('\n')}
    };
}
`;
}

function groupInterface({ name, description, methods }: Group): string {
  const members = methods.flatMap(signatures).join('\n');
  return `${comment([description], 0)}export interface ${pascal(name)} {\n${members}\n}\n`;
}

function streamingFunction(method: ClientMethod): string {
  const { name } = method;
  const { off, on, either } = streamOptions;
  return `    function ${name}(${list(method, off)}): ${resultType(method)};
    function ${name}(${list(method, on)}): InvocationStream;
    function ${name}(${list(method, either)}): InvocationStream | ${resultType(method)} {
        return (options?.stream ? stream : request)(${requestArguments(method)});
    }
`;
}

function groupCalls({ name, methods }: Group): string {
  const calls = methods.flatMap((method) => {
    const send = method.shape === 'pages' ? 'list' : 'request';
    const call = `(${names(method)}) => ${send}(${requestArguments(method)})`;
    const asyncCall = `(${names(method)}) => submit(${requestArguments(method)})`;
    return [
      method.streams ? method.name : `${method.name}: ${call}`,
      ...(method.accepted ? [`${method.name}Async: ${asyncCall}`] : []),
    ];
  });
  return `        ${name}: {\n${calls.map((call) => `            ${call},\n`).join('')}        },`;
}

function requestArguments({ httpMethod, path, pathArguments, query, body }: ClientMethod): string {
  const values = pathArguments.map(({ name }) => `${name}: ${camel(name)}`);
  const parameters = [
    ...(values.length > 0 ? [`path: { ${values.join(', ')} }`] : []),
    ...(query === 'none' ? [] : ['query']),
    ...(body ? ['body'] : []),
    'options',
  ];
  return `'${httpMethod}', '${path}', { ${parameters.join(', ')} }`;
}
