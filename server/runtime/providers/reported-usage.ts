/** Reads what a provider's own events say of the tokens used, while the response is still coming. */
import { z } from 'zod';

const count = z.number().min(0).nullish();

/** As Anthropic and OpenAI name them. What Anthropic read from its cache or wrote to it is not in its input tokens. */
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

/** Returns the tokens used so far for each event that tells; undefined for any other. */
export function createUsageReader(): (rawEvent: unknown) => number | undefined {
  let input = 0;
  let output = 0;
  return (rawEvent) => {
    const { data } = event.safeParse(rawEvent);
    const told = data?.usage ?? data?.message?.usage ?? data?.response?.usage;
    if (!told) return undefined;
    const cached = (told.cache_creation_input_tokens ?? 0) + (told.cache_read_input_tokens ?? 0);
    // Anthropic tells the input at the beginning, and then only how the output grows.
    input = Math.max(input, (told.input_tokens ?? told.prompt_tokens ?? 0) + cached);
    output = Math.max(output, told.output_tokens ?? told.completion_tokens ?? 0);
    return input + output;
  };
}
