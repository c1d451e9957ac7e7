/** Compiles JSON Schemas to validators. Compile untrusted schemas in a separate thread: some take very long. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';

export type SchemaCheck = (value: unknown) => string | undefined;

const maxProblems = 5;
const dialect = 'https://json-schema.org/draft/2020-12/schema';
const options = { strict: false, logger: false } as const;

/** Validates schemas. Shared, because the dialect's own schema takes longer to compile than most others. */
const dialectCheck = new Ajv2020(options);

/** Returns a function that describes the problems of a value. Throws an Error if the schema is not valid. */
export function compileSchema(schema: object): SchemaCheck {
  // Many schemas name an earlier draft, whose common keywords have the same meaning.
  const withDialect = { ...schema, $schema: dialect };
  if (dialectCheck.validateSchema(withDialect) !== true) {
    throw new Error(describe(dialectCheck.errors ?? []));
  }
  // One instance per schema: an instance keeps all compiled schemas and rejects a second one with the same id. Optimization is
  // off, because its time grows with the square of the number of properties.
  const ajv = new Ajv2020({
    ...options,
    // Reports every problem, so that all of them can be corrected at once.
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
