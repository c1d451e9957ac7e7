/** JSON Schemas of manifests and MCP servers: which are accepted, and how values are checked with them. */
import { exceededLimit } from '../lib/data/json-limits.js';
import { createSchemaChecks, SchemaFailure } from './schema-checks.js';
import { maxSchema, maxSchemaCheck } from './limits.js';

const check = createSchemaChecks(maxSchemaCheck);

/** Why a schema is too large, such as "is nested more than 64 levels deep"; undefined if it is not. */
export function excessOfSchema(schema: object): string | undefined {
  return exceededLimit(schema, maxSchema);
}

/** Why a schema cannot be used; undefined if it can. */
export async function problemWithSchema(schema: object): Promise<string | undefined> {
  const excess = excessOfSchema(schema);
  if (excess !== undefined) return excess;
  try {
    return await check('', { schema: JSON.stringify(schema) });
  } catch (error) {
    if (error instanceof SchemaFailure) return error.message;
    throw error;
  }
}

/** Resolves to the problem with the JSON text, if any. Rejects with a SchemaFailure, or with the signal's reason. */
export function checkJson(
  accountId: string,
  schema: object,
  json: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  return check(accountId, { schema: JSON.stringify(schema), json }, signal);
}
