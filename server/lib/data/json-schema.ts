/** Compiles JSON Schemas to functions that check values. A foreign one is compiled in a thread of schema-checks.ts only. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';

export type SchemaCheck = (value: unknown) => string | undefined;

const maxProblems = 5;
const dialect = 'https://json-schema.org/draft/2020-12/schema';
const options = { strict: false, logger: false } as const;

/** Checks the schemas themselves. Shared, since the dialect's own schema takes longer to compile than most others. */
const dialectCheck = new Ajv2020(options);

/** Returns a function that says what is wrong with a value. Throws an Error if the schema itself is not valid. */
export function compileSchema(schema: object): SchemaCheck {
  // Most name the dialect of an earlier draft, which means the same for what tools use.
  const withDialect = { ...schema, $schema: dialect };
  if (dialectCheck.validateSchema(withDialect) !== true) {
    throw new Error(describe(dialectCheck.errors ?? []));
  }
  // One for each schema: an instance keeps what it has compiled, and refuses a second schema of the same id. Without
  // optimization, which takes time that grows with the square of the number of properties.
  const ajv = new Ajv2020({
    ...options,
    // A model that is told of every problem can correct all of them at once.
    allErrors: true,
    validateSchema: false,
    code: { optimize: false },
  });
  addFormats.default(ajv);
  const validate: ValidateFunction = ajv.compile(withDialect);
  return (value) => (validate(value) ? undefined : describe(validate.errors ?? []));
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
