/** Describes schema errors of a manifest in plain language, without regular expressions or schema keywords. */
import type { ErrorObject } from 'ajv';

/** `schema` is the manifest's JSON Schema; its definitions resolve references. */
export function describeSchemaError(error: ErrorObject, schema: object): string {
  const { keyword, instancePath, params, parentSchema, propertyName } = error;
  const field = [...instancePath.split('/').slice(1), ...(propertyName ? [propertyName] : [])].join(
    '.',
  );
  const prefix = field === '' ? '' : `${field}.`;
  const subject = field === '' ? 'the manifest' : field;
  switch (keyword) {
    case 'required': {
      const missing = String(params['missingProperty']);
      return `${prefix}${missing} is missing${hint(requirementOf(error, missing, schema))}`;
    }
    case 'additionalProperties':
      return `${prefix}${String(params['additionalProperty'])} is not a known setting`;
    case 'enum':
      return `${subject} must be ${oneOf(params['allowedValues'])}`;
    case 'dependentRequired':
      return `${prefix}${String(params['property'])} also requires ${String(params['missingProperty'])}`;
    case 'minItems':
      return `${subject} must have at least one entry`;
    case 'uniqueItems':
      return `${subject} must not have an entry twice`;
    case 'type':
      return `${subject} ${customMessage(parentSchema) ?? `must be ${describeType(params['type'])}`}`;
    default:
      return `${subject} ${customMessage(parentSchema) ?? error.message ?? 'is not valid'}`;
  }
}

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of settings',
};

function describeType(type: unknown): string {
  return typeNames[String(type)] ?? String(type);
}

function oneOf(values: unknown): string {
  return Array.isArray(values) ? `one of: ${values.join(', ')}` : 'one of those allowed';
}

/** The text of `x-error-message` in the contract. */
function customMessage(schema: object | undefined): string | undefined {
  if (!schema || !('patternErrorMessage' in schema)) return undefined;
  return String(schema.patternErrorMessage);
}

function hint(requirement: string | undefined): string {
  return requirement === undefined ? '' : `: it ${requirement}`;
}

/** The requirement that the missing setting must meet. */
function requirementOf(error: ErrorObject, missing: string, schema: object): string | undefined {
  if ('allowedValues' in error.params) return `must be ${oneOf(error.params['allowedValues'])}`;
  const setting: unknown = valueAt(error.parentSchema, ['properties', missing]);
  const reference: unknown = valueAt(setting, ['$ref']);
  const definition =
    typeof reference === 'string' ? valueAt(schema, reference.split('/').slice(1)) : setting;
  return typeof definition === 'object' && definition !== null
    ? customMessage(definition)
    : undefined;
}

function valueAt(value: unknown, path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );
}
