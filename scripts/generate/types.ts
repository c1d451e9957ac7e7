/** Generates TypeScript types from the contract. */

import type { OpenAPITSOptions } from 'openapi-typescript';
import { closeAnswers } from '../lib/closed-contract.js';
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
export async function typesOf(document: string, extra: OpenAPITSOptions = {}): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  return astToString(await openapiTS(document, { ...options, ...extra }));
}

function typesFile(name: string, text: string) {
  const exported = text.match(/^export type /gm) ?? [];
  return {
    summary: plural(exported.length, 'type'),
    files: { [name]: `// ${header}\n\n${text}` },
  };
}
