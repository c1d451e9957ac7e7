/** Checks that a response is JSON that fits the manifest's `output.schema`. */
import { schemaCheck } from '../lib/json-schema.js';

export interface OutputCheck {
  schema: object;
  /** The JSON text, or what is wrong: in words for the log, and in words for the model. */
  check: (response: string) => { json: string } | { problem: string; correction: string };
}

export function createOutputCheck(schema: object): OutputCheck {
  const problemWith = schemaCheck(schema);
  return {
    schema,
    check: (response) => {
      const json = withoutFence(response);
      const problem = problemIn(json, problemWith);
      if (problem === undefined) return { json };
      const correction = `That is not usable: ${problem}. Answer again, with nothing but JSON that fits the schema.`;
      return { problem, correction };
    },
  };
}

function problemIn(json: string, problemWith: (value: unknown) => string | undefined) {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return 'it is not JSON';
  }
  return problemWith(value);
}

/** Many models put JSON into a block of Markdown, whatever they are told. */
function withoutFence(response: string): string {
  const text = response.trim();
  if (!text.startsWith('```') || !text.endsWith('```') || text.length < 6) return text;
  const inner = text.slice(3, -3);
  return inner.slice(inner.indexOf('\n') + 1).trim();
}
