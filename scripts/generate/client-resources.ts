/** Writes the fluent client: an interface for each group of methods, and the calls behind it. */

import type { Contract } from '../lib/contract.js';
import type { ClientMethod } from './client-model.js';
import {
  list,
  names,
  optionsInterface,
  queryType,
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
  const queries = methods.filter(({ query }) => query !== 'none').map(queryType);
  const options = methods.filter((method) => method.headerOptions.length > 0).map(optionsInterface);
  const members = groups.map(
    ({ name, description }) => `${comment([description], 1)}    readonly ${name}: ${pascal(name)};`,
  );
  const streaming = methods.filter(({ streams }) => streams).map(streamingFunction);

  return `// ${header}

import type { IdempotentOptions, RequestOptions } from '../options.js';
import type { Page, Pages } from '../pages.js';
import { queryString, segment, type Sender } from '../send.js';
import type { InvocationStream } from '../stream.js';
import type * as schema from './schema.js';

${queries.join('\n')}

${options.join('\n')}
${groups.map(groupInterface).join('\n')}
/** Every operation of the contract. */
export interface Resources {
${members.join('\n')}
}

export function createResources(...[send, stream, list]: Sender): Resources {
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
  const call = [`'${method.httpMethod}'`, pathOf(method), 'options', 'body'];
  return `    function ${name}(${list(method, off)}): ${resultType(method)};
    function ${name}(${list(method, on)}): InvocationStream;
    function ${name}(${list(method, either)}): InvocationStream | ${resultType(method)} {
        return options?.stream ? stream(${args(...call)}) : send(${args(...call)});
    }
`;
}

function groupCalls({ name, methods }: Group): string {
  const calls = methods.flatMap((method) => [
    method.streams ? method.name : `${method.name}: (${names(method)}) => ${callOf(method)}`,
    ...(method.accepted ? [`${method.name}Async: (${names(method)}) => ${asyncCall(method)}`] : []),
  ]);
  return `        ${name}: {\n${calls.map((call) => `            ${call},\n`).join('')}        },`;
}

function callOf(method: ClientMethod): string {
  const { shape, httpMethod, query } = method;
  const body = method.body ? 'body' : undefined;
  if (shape === 'pages') return `list(${args(pathOf(method), 'query', 'options')})`;
  return `send(${args(
    `'${httpMethod}'`,
    query === 'none' ? pathOf(method) : `${pathOf(method)} + queryString(query)`,
    'options',
    body,
  )})`;
}

function asyncCall(method: ClientMethod): string {
  return `send('${method.httpMethod}', ${pathOf(method)}, options, body, { prefer: 'respond-async' })`;
}

/** Arguments as code, those at the end left out that are not given. */
function args(...all: (string | undefined)[]): string {
  const last = all.findLastIndex((argument) => argument !== undefined);
  return all
    .slice(0, last + 1)
    .map((argument) => argument ?? 'undefined')
    .join(', ');
}

function pathOf({ path, pathArguments }: ClientMethod): string {
  if (pathArguments.length === 0) return `'${path}'`;
  return `\`${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${segment(${camel(name)})}`)}\``;
}
