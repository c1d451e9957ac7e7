/** Checks that a response is JSON and fits the manifest's `output.schema`. */
import { ModelFailure } from './model.js';
import { SchemaFailure } from './schema-checks.js';
import { checkJson } from './schemas.js';

export interface OutputCheck {
  schema: object;
  /**
   * Resolves to the JSON text, or to a problem for the log with a correction for the model. Throws a ModelFailure if the schema cannot
   * be used.
   */
  check: (
    response: string,
    signal: AbortSignal,
  ) => Promise<{ json: string } | { problem: string; correction: string }>;
}

export function createOutputCheck(accountId: string, schema: object): OutputCheck {
  return {
    schema,
    check: async (response, signal) => {
      const json = withoutFence(response);
      const problem = await checkJson(accountId, schema, json, signal).catch(toModelFailure);
      if (problem === undefined) return { json };
      const correction = `That is not usable: ${problem}. Answer again, with nothing but JSON that fits the schema.`;
      return { problem, correction };
    },
  };
}

function toModelFailure(error: unknown): never {
  if (!(error instanceof SchemaFailure)) throw error;
  throw new ModelFailure(`the response cannot be checked: output.schema ${error.message}`, {
    retryable: false,
  });
}

/** Many models put JSON into a Markdown code block, even if told not to. */
function withoutFence(response: string): string {
  const text = response.trim();
  if (!text.startsWith('```') || !text.endsWith('```') || text.length < 6) return text;
  const inner = text.slice(3, -3);
  return inner.slice(inner.indexOf('\n') + 1).trim();
}
