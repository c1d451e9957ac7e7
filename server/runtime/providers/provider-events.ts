/** Reads from a provider's own events what the library reports too late or not at all: the tokens used so far, and refusals. */
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
  choices: z
    .array(z.object({ delta: z.object({ refusal: z.string().nullish() }).nullish() }))
    .nullish()
    .catch(undefined),
});

interface ProviderEvent {
  /** The tokens used so far, if the event reports usage. */
  tokensUsed: number | undefined;
  /** The text of a refusal of Chat Completions, which the library drops. */
  refusal: string | undefined;
}

export interface EventReader {
  read: (rawEvent: unknown) => ProviderEvent;
  /** Whether the model refused to answer in an event so far. */
  hasRefusal: () => boolean;
}

export function createEventReader(): EventReader {
  let input = 0;
  let output = 0;
  let hasRefusal = false;
  return {
    hasRefusal: () => hasRefusal,
    read: (rawEvent) => {
      const { data } = event.safeParse(rawEvent);
      const refusal = data?.choices?.[0]?.delta?.refusal || undefined;
      hasRefusal ||= refusal !== undefined;
      const reported = data?.usage ?? data?.message?.usage ?? data?.response?.usage;
      if (!reported) return { tokensUsed: undefined, refusal };
      const cached =
        (reported.cache_creation_input_tokens ?? 0) + (reported.cache_read_input_tokens ?? 0);
      // Anthropic reports the input at the beginning, and afterwards only the output.
      input = Math.max(input, (reported.input_tokens ?? reported.prompt_tokens ?? 0) + cached);
      output = Math.max(output, reported.output_tokens ?? reported.completion_tokens ?? 0);
      return { tokensUsed: input + output, refusal };
    },
  };
}
