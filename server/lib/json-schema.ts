/** Checks values with JSON Schemas that come from manifests and from servers of tools. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import { putLatest } from './put-latest.js';

export type SchemaCheck = (value: unknown) => string | undefined;

const maxProblems = 5;
const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** Returns a function that says what is wrong with a value. Throws an Error if the schema itself is not valid. */
export function compileSchema(schema: object): SchemaCheck {
  // One for each schema: an instance keeps what it has compiled, and refuses a second schema of the same id.
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: true, logger: false });
  addFormats.default(ajv);
  // Most name the dialect of an earlier draft, which means the same for what tools use.
  const validate: ValidateFunction = ajv.compile({ ...schema, $schema: dialect });
  return (value) => (validate(value) ? undefined : describe(validate.errors ?? []));
}

/** Compiling takes milliseconds, so what agents use again and again is kept. */
const compiled = new Map<string, SchemaCheck>();
const maxCompiled = 1_000;

/** As `compileSchema`, for a schema that is used more than once. */
export function schemaCheck(schema: object): SchemaCheck {
  const key = JSON.stringify(schema);
  const check = compiled.get(key) ?? compileSchema(schema);
  putLatest(compiled, key, check, maxCompiled);
  return check;
}

function describe(errors: ErrorObject[]): string {
  const problems = errors.slice(0, maxProblems).map(({ instancePath, message, params }) => {
    const extra =
      'additionalProperty' in params ? ` (${JSON.stringify(params['additionalProperty'])})` : '';
    return `${instancePath === '' ? 'it' : instancePath} ${message ?? 'is not valid'}${extra}`;
  });
  const more = errors.length > maxProblems ? [`and ${errors.length - maxProblems} more`] : [];
  return [...problems, ...more].join('; ');
}
