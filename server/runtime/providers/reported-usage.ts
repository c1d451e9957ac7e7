/** Reads the tokens used from a provider's own events, before the response is complete. */
import { z } from 'zod';

const count = z.number().min(0).nullish();

/** The field names of Anthropic and OpenAI. Anthropic's `input_tokens` do not include cached tokens. */
const usage = z
  .object({
    input_tokens: count,
    prompt_tokens: count,
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
    output_tokens: count,
    completion_tokens: count,
  })
  .nullish();

const event = z.object({
  usage,
  message: z.object({ usage }).nullish(),
  response: z.object({ usage }).nullish(),
});

/** Returns the tokens used so far if the event reports usage, otherwise undefined. */
export function createUsageReader(): (rawEvent: unknown) => number | undefined {
  let input = 0;
  let output = 0;
  return (rawEvent) => {
    const { data } = event.safeParse(rawEvent);
    const reported = data?.usage ?? data?.message?.usage ?? data?.response?.usage;
    if (!reported) return undefined;
    const cached =
      (reported.cache_creation_input_tokens ?? 0) + (reported.cache_read_input_tokens ?? 0);
    // Anthropic reports the input at the beginning, and afterwards only the output.
    input = Math.max(input, (reported.input_tokens ?? reported.prompt_tokens ?? 0) + cached);
    output = Math.max(output, reported.output_tokens ?? reported.completion_tokens ?? 0);
    return input + output;
  };
}
