/** Generates TypeScript types from the contract. */

import type { OpenAPITSOptions } from 'openapi-typescript';
import { closeAnswers } from '../lib/closed-contract.js';
import { type Contract, parseContract } from '../lib/contract.js';
import { plural } from '../lib/terminal.js';
import { asJson } from './bundle.js';
import { header, type Step } from './step.js';

const options: OpenAPITSOptions = {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  emptyObjectsUnknown: true,
  silent: true,
};

export const types: Step = {
  name: 'types',
  outputs: ['api.ts'],
  waitsForContract: true,
  async make(inputs) {
    return typesFile('api.ts', await typesOf(asJson(closeAnswers(await inputs.contract()))));
  },
};

/** Generates the types of an OpenAPI document in JSON text. */
export async function typesOf(document: string): Promise<string> {
  const { astToString } = await import('openapi-typescript');
  return astToString(await typeNodesOf(document));
}

export async function typeNodesOf(document: string, extra: OpenAPITSOptions = {}) {
  const { default: openapiTS } = await import('openapi-typescript');
  const transformed = asJson(withoutEventIds(parseContract(document)));
  return openapiTS(transformed, { ...options, ...extra });
}

/** Webhook events have an operationId for other generators. The types list only operations of the service. */
function withoutEventIds(contract: Contract): Contract {
  const { webhooks, ...others } = structuredClone(contract);
  for (const item of Object.values(webhooks ?? {})) {
    if ('post' in item && 'operationId' in item.post) delete item.post.operationId;
  }
  return webhooks ? { ...others, webhooks } : others;
}

function typesFile(name: string, text: string) {
  const exported = text.match(/^export type /gm) ?? [];
  return {
    summary: plural(exported.length, 'type'),
    files: { [name]: `// ${header}\n\n${text}` },
  };
}
