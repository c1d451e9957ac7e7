/** Generates code samples for each operation, in several languages, from the examples of the contract. */

import { type Contract, type ContractOperation, operationsOf } from '../lib/contract.js';
import { exampleRequest } from '../lib/example-request.js';
import { isObject } from '../lib/json.js';
import { type ClientMethod, clientMethods } from './client-model.js';

/** The agent that every installation starts with, so that samples work when they are pasted. */
const firstAgent = 'echo';

interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

interface SampleRequest {
  method: string;
  /** With its query. */
  url: string;
  pathValues: string[];
  query: [string, string][];
  body: unknown;
  idempotencyKey: string | undefined;
}

/** Returns the contract with `x-codeSamples` in each operation. */
export function withCodeSamples(contract: Contract): Contract {
  const sampled = structuredClone(contract);
  const methods = clientMethods(contract);
  for (const found of operationsOf(sampled)) {
    const method = methods.find(({ operationId }) => operationId === found.operation.operationId);
    if (!method) continue;
    const request = requestOf(contract, found);
    Object.assign(found.operation, {
      'x-codeSamples': [curl(request), typescript(request, method), python(request)],
    });
  }
  return sampled;
}

function requestOf(contract: Contract, found: ContractOperation): SampleRequest {
  const { path, query, header, body } = exampleRequest(contract, found);
  const pathValues = path.map(({ name, value }) => (name === 'agent_id' ? firstAgent : value));
  const address = pathValues.reduce((text, value) => text.replace(/\{\w+\}/, value), found.path);
  const required = query
    .filter(({ isRequired }) => isRequired)
    .map(({ name, value }): [string, string] => [name, value]);
  const search = required.length === 0 ? '' : `?${new URLSearchParams(required).toString()}`;
  return {
    method: found.method.toUpperCase(),
    url: `${contract.servers?.[0]?.url ?? ''}${address}${search}`,
    pathValues,
    query: required,
    body: isObject(body) && 'agent_id' in body ? { ...body, agent_id: firstAgent } : body,
    idempotencyKey: header.find(({ name }) => name === 'Idempotency-Key')?.value,
  };
}

function curl({ method, url, body, idempotencyKey }: SampleRequest): CodeSample {
  const isDefault = method === (body === undefined ? 'GET' : 'POST');
  const parts = [
    `curl ${isDefault ? '' : `-X ${method} `}${/[?&]/.test(url) ? `'${url}'` : url}`,
    `-H "Authorization: Bearer $AGENT_HOSTING_API_KEY"`,
    ...(idempotencyKey === undefined ? [] : [`-H 'Idempotency-Key: ${idempotencyKey}'`]),
    ...(body === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`,
        ]),
  ];
  return { lang: 'Shell', label: 'curl', source: parts.join(' \\\n  ') };
}

function typescript(request: SampleRequest, method: ClientMethod): CodeSample {
  const args = [
    ...request.pathValues.map((value) => `'${value}'`),
    ...(request.body === undefined ? [] : [asTypeScript(request.body)]),
    ...(request.query.length === 0 ? [] : [asTypeScript(Object.fromEntries(request.query))]),
  ];
  const call = `client.${method.group}.${method.name}(${args.join(', ')})`;
  const use =
    method.shape === 'pages'
      ? `for await (const item of ${call}) console.log(item);`
      : `const result = await ${call};\nconsole.log(result);`;
  const lines = [
    `import { agentHosting } from '@agent-hosting/client';`,
    '',
    '// Reads AGENT_HOSTING_API_KEY.',
    'const client = agentHosting();',
    use,
  ];
  return { lang: 'JavaScript', label: 'TypeScript SDK', source: lines.join('\n') };
}

function asTypeScript(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replaceAll(/^( *)"(\w+)":/gm, '$1$2:')
    .replaceAll(/"([^"'\\]*)"(?=,?$)/gm, "'$1'");
}

function python({ method, url, body, idempotencyKey }: SampleRequest): CodeSample {
  const headers = [
    `"Authorization": f"Bearer {os.environ['AGENT_HOSTING_API_KEY']}"`,
    ...(idempotencyKey === undefined ? [] : [`"Idempotency-Key": "${idempotencyKey}"`]),
  ];
  const lines = [
    'import os',
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    "${url}",`,
    '    headers={',
    ...headers.map((line) => `        ${line},`),
    '    },',
    ...(body === undefined ? [] : [`    json=${asPython(body).replaceAll('\n', '\n    ')},`]),
    ')',
    'response.raise_for_status()',
    'print(response.json())',
  ];
  return { lang: 'Python', label: 'Python', source: lines.join('\n') };
}

/** JSON is valid Python except for true, false and null. */
function asPython(value: unknown): string {
  return JSON.stringify(value, null, 4)
    .replaceAll(/(?<=^ *(?:"[^"]*": )?)(true|false)(?=,?$)/gm, (word) =>
      word === 'true' ? 'True' : 'False',
    )
    .replaceAll(/(?<=^ *(?:"[^"]*": )?)null(?=,?$)/gm, 'None');
}
