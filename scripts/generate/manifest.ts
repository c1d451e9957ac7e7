/** Bundles the JSON Schema of agent manifests, checks that it compiles, and generates its types. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../lib/failure.js';
import { isObject, isReference, type JsonObject, mapDeep, omit } from '../lib/json.js';
import { plural } from '../lib/terminal.js';
import { asJson, bundleText } from './bundle.js';
import { header, type Inputs, type Step } from './step.js';
import { typesOf } from './types.js';

const components = '#/components/schemas/';
const definitions = '#/$defs/';

export const manifest: Step = {
  name: 'manifest',
  outputs: ['agent-manifest.schema.json', 'manifest.ts'],
  waitsForContract: false,
  async make(inputs) {
    const schemas = await bundledSchemas(inputs);
    const schema = selfContained(schemas);
    await compile(schema);
    return {
      summary: plural(Object.keys(schemas).length, 'schema'),
      files: {
        'agent-manifest.schema.json': asJson(schema),
        'manifest.ts': `// ${header}\n\n${await manifestTypes(schemas)}`,
      },
    };
  },
};

interface Schemas {
  AgentManifest: JsonObject;
  [name: string]: unknown;
}

/**
 * The manifest and every schema that it refers to, by name. Redocly collects them when the manifest is a component of an
 * otherwise empty contract.
 */
async function bundledSchemas({ spec, scratch }: Inputs): Promise<Schemas> {
  const folder = await scratch();
  const file = path.join(folder, 'manifest-only.json');
  const $ref = path.relative(folder, path.join(spec, 'agent-manifest.yaml'));
  await writeFile(file, document({ AgentManifest: { $ref } }));

  const bundle: unknown = JSON.parse(await bundleText(file));
  const found = isObject(bundle) && isObject(bundle['components']) && bundle['components'];
  const schemas = isObject(found) && isObject(found['schemas']) ? found['schemas'] : {};
  const { 'agent-manifest': main, ...others } = schemas;
  if (!isObject(main)) throw new Failure('agent-manifest.yaml must be a JSON Schema of an object.');
  // Redocly has moved its definitions into separate schemas.
  return { ...others, AgentManifest: omit(main, '$defs') };
}

const errorMessageKeyword = 'patternErrorMessage';

function selfContained({ AgentManifest, ...others }: Schemas): JsonObject {
  const names = Object.keys(others).sort();
  const $defs = Object.fromEntries(names.map((name) => [name, others[name]]));
  const schema = mapDeep({ ...AgentManifest, $defs }, (value) => {
    if (!isObject(value)) return value;
    // Removes OpenAPI extensions. The error message is kept under a keyword that editors know.
    const plain = Object.fromEntries(
      Object.entries(value)
        .map(([key, inner]) => [key === 'x-error-message' ? errorMessageKeyword : key, inner])
        .filter(([key]) => !String(key).startsWith('x-')),
    ) as JsonObject;
    return isReference(plain)
      ? { ...plain, $ref: plain.$ref.replace(components, definitions) }
      : plain;
  });
  return isObject(schema) ? schema : {};
}

async function compile(schema: JsonObject): Promise<void> {
  const [{ Ajv2020 }, { default: formats }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
  ]);
  // Rejects unknown keywords and formats; a condition need not repeat the type that it tests.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  ajv.addVocabulary([errorMessageKeyword]);
  formats.default(ajv);
  try {
    ajv.compile(schema);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(`agent-manifest.yaml does not compile as a strict JSON Schema: ${reason}`);
  }
}

async function manifestTypes(schemas: Schemas): Promise<string> {
  const AgentManifest = omit(schemas.AgentManifest, '$schema', '$id');
  const text = await typesOf(document({ ...schemas, AgentManifest }));
  // Removes the types of the surrounding empty contract.
  return text.replace(/^export type \S+ = Record<string, never>;\n/gm, '');
}

function document(schemas: JsonObject): string {
  return asJson({
    openapi: '3.1.0',
    info: { title: 'Agent manifest', version: '1.0.0' },
    paths: {},
    components: { schemas },
  });
}
