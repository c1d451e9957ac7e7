/** Compiles, ahead of time, the functions that check the requests of each operation: nothing is compiled when the service starts. */

import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import { build } from 'esbuild';
import { type Contract, type ContractOperation, operationsOf } from '../lib/contract.js';
import { followObject, isObject, isReference, type JsonObject, mapDeep } from '../lib/json.js';
import { inProject } from '../lib/project.js';
import { plural } from '../lib/terminal.js';
import { header, type Step } from './step.js';

export const requestChecks: Step = {
  name: 'request-checks',
  outputs: ['request-checks.ts'],
  waitsForContract: true,
  async make(inputs) {
    const contract = await inputs.contract();
    const listed = operationsOf(contract);
    const code = await bundled(contract, listed);
    return {
      summary: `${plural(listed.length, 'operation')}, ${Math.round(code.length / 1_000)} kB`,
      files: { 'request-checks.ts': source(code, contract, listed) },
    };
  },
};

/** Where a request has the parameters that the contract names by their place. */
const places = { path: 'params', query: 'query', header: 'headers' };

interface Parameter extends JsonObject {
  name: string;
  in: keyof typeof places;
  required?: boolean;
  schema: JsonObject;
  allowReserved?: boolean;
}

function parametersOf(contract: Contract, { operation, pathItem }: ContractOperation): Parameter[] {
  return [...(pathItem.parameters ?? []), ...(operation.parameters ?? [])].map((reference) => {
    const parameter = followObject(contract, reference) as Parameter;
    // Followed too, since the default of what is referred to would not be set.
    return { ...parameter, schema: followObject(contract, parameter.schema) };
  });
}

function parametersSchema(parameters: Parameter[]): JsonObject {
  const properties = Object.entries(places).map(([place, property]) => {
    const own = parameters.filter((parameter) => parameter.in === place);
    // Node.js gives the names of headers in lower case.
    const nameOf = ({ name }: Parameter) => (place === 'header' ? name.toLowerCase() : name);
    const schema = {
      type: 'object',
      required: own.filter(({ required }) => required === true).map(nameOf),
      properties: Object.fromEntries(own.map((one) => [nameOf(one), one.schema])),
    };
    return [property, schema];
  });
  return { type: 'object', properties: Object.fromEntries(properties) };
}

function bodySchema(contract: Contract, { operation }: ContractOperation): JsonObject {
  const content = followObject(contract, operation.requestBody)['content'];
  const media = isObject(content) ? followObject(contract, content['application/json']) : {};
  return { type: 'object', properties: { body: media['schema'] ?? {} } };
}

const prefix = '#/components/schemas/';

/** A schema whose references are names of other schemas, without what does not decide. */
function compilable(schema: unknown): JsonObject {
  const annotations = /^(x-.*|examples?|description|title|deprecated)$/;
  return mapDeep(schema, (value) => {
    if (isReference(value)) return { ...value, $ref: value.$ref.replace(prefix, '') };
    // A property may have the name of an annotation.
    if (!isObject(value) || !('type' in value || 'enum' in value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => !annotations.test(key)));
  }) as JsonObject;
}

/** As express-openapi-validator has them, which a test holds the result against. */
const common: Options = {
  strict: false,
  strictNumbers: true,
  validateSchema: false,
  useDefaults: true,
  code: { source: true, esm: true },
};

/** Parameters are converted from text to what their schema wants; a body has to be what it is. */
const kinds = {
  parameters: { coerceTypes: true, allErrors: true },
  body: { allErrors: true },
  /** Ends with the first error. */
  largeBody: {},
} satisfies Record<string, Options>;

type Kind = keyof typeof kinds;

function compile(contract: Contract, listed: ContractOperation[], kind: Kind) {
  const ajv = new Ajv2020({ ...common, ...kinds[kind] });
  addFormats.default(ajv, { mode: 'full' });
  for (const [name, schema] of Object.entries(contract.components?.schemas ?? {})) {
    ajv.addSchema(compilable(schema), name);
  }
  const checks = listed.map((each): [string, string] => {
    const name = String(each.operation.operationId);
    const schema =
      kind === 'parameters'
        ? parametersSchema(parametersOf(contract, each))
        : bodySchema(contract, each);
    ajv.addSchema(compilable(schema), `${name} request`);
    return [name, `${name} request`];
  });
  return standaloneCode.default(ajv, Object.fromEntries(checks));
}

/** All of them as one module, with the few functions of Ajv that they call. */
async function bundled(contract: Contract, listed: ContractOperation[]): Promise<string> {
  const names = Object.keys(kinds);
  const { outputFiles } = await build({
    stdin: {
      contents: [
        ...names.map((kind) => `import * as ${kind} from '${kind}';`),
        `export const compiled = { ${names.join(', ')} };`,
      ].join('\n'),
      resolveDir: inProject('scripts'),
    },
    plugins: [
      {
        name: 'checks',
        setup: (esbuild) => {
          esbuild.onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, ({ path }) => ({
            path,
            namespace: 'checks',
          }));
          esbuild.onLoad({ filter: /./, namespace: 'checks' }, ({ path }) => ({
            contents: compile(contract, listed, path as Kind),
            resolveDir: inProject('scripts'),
          }));
        },
      },
    ],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

function source(code: string, contract: Contract, listed: ContractOperation[]): string {
  const queries = listed.map((each) => {
    const own = parametersOf(contract, each).filter((parameter) => parameter.in === 'query');
    const described = own.map(({ name, schema, allowReserved = false }) => {
      const { type, format } = schema;
      return { name, type, format, allowReserved };
    });
    return `    ${String(each.operation.operationId)}: ${JSON.stringify(described)},`;
  });
  return `// ${header}
// @ts-nocheck What follows the types is compiled.

import type { OperationId } from './operations.js';

/** What is wrong with a request, in the words of Ajv. */
export interface CheckError {
    keyword: string;
    /** Such as \`/body/context/user_id\`. */
    instancePath: string;
    message?: string;
    params: Record<string, unknown>;
}

/** Whether a request is valid; if not, \`errors\` says why until the next call. Sets defaults, and converts parameters. */
export interface Check {
    (request: object): boolean;
    errors?: CheckError[] | null;
}

export interface QueryParameter {
    name: string;
    type: string | undefined;
    format: string | undefined;
    /** Whether characters such as \`:\` may stand in it as they are. */
    allowReserved: boolean;
}

export const queryParameters: Record<OperationId, QueryParameter[]> = {
${queries.join('\n')}
};

${code.replace('export{compiled};', '').trim()}

/** \`largeBody\` ends with the first error, the others find all. */
export const requestChecks: Record<${Object.keys(kinds)
    .map((kind) => `'${kind}'`)
    .join(' | ')}, Record<OperationId, Check>> = compiled;
`;
}
