/** Bundles the files of the contract into one document, as JSON and as YAML. */

import path from 'node:path';
import { stringify } from 'yaml';
import { type Contract, operationsOf, parseContract } from '../lib/contract.js';
import { Failure } from '../lib/failure.js';
import { redocly } from '../lib/redocly.js';
import { plural } from '../lib/terminal.js';
import { withCodeSamples } from './code-samples.js';
import { header, type Step } from './step.js';

export const bundle: Step = {
  name: 'bundle',
  outputs: ['openapi.json', 'openapi.yaml'],
  waitsForContract: false,
  async make(inputs) {
    const contract = await inputs.contract();
    const sampled = withCodeSamples(contract);
    const schemas = Object.keys(contract.components?.schemas ?? {});
    return {
      summary: `${plural(operationsOf(contract).length, 'operation')}, ${plural(schemas.length, 'schema')}`,
      files: { 'openapi.json': asJson(sampled), 'openapi.yaml': asYaml(sampled) },
    };
  },
};

export async function bundleContract(spec: string): Promise<Contract> {
  return parseContract(await bundleText(path.join(spec, 'openapi.yaml')));
}

/** Bundles a document as JSON text. The error for a broken reference names its file, line and column. */
export async function bundleText(file: string): Promise<string> {
  const { code, stdout, stderr } = await redocly([
    'bundle',
    file,
    '--ext=json',
    '--component-renaming-conflicts-severity=error',
  ]);
  if (code !== 0) throw new Failure(stderr);
  return stdout;
}

export function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function asYaml(value: unknown): string {
  return `# ${header}\n${stringify(value, { aliasDuplicateObjects: false, lineWidth: 100 })}`;
}
