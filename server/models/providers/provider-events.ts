/** Reads from a provider's own events what the library reports too late or not at all: the tokens used so far, and refusals. */
import { z } from 'zod';

const count = z.number().min(0).nullish();

const details = z.object({ cached_tokens: count, reasoning_tokens: count }).nullish();

/** The field names of Anthropic and OpenAI. Anthropic's `input_tokens` do not include cached tokens. */
const usage = z
  .object({
    input_tokens: count,
    prompt_tokens: count,
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
    output_tokens: count,
    completion_tokens: count,
    input_tokens_details: details,
    prompt_tokens_details: details,
    output_tokens_details: details,
    completion_tokens_details: details,
  })
  .nullish();

const event = z.object({
  type: z.string().nullish().catch(undefined),
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

interface EventReader {
  read: (rawEvent: unknown) => ProviderEvent;
  /** Whether the model refused to answer in an event so far. */
  hasRefusal: () => boolean;
  /** Whether an event so far reported a kind of tokens, for which the library otherwise assumes zero. */
  reports: (kind: 'cached' | 'reasoning') => boolean;
}

export function createEventReader(): EventReader {
  let input = 0;
  let output = 0;
  let hasRefusal = false;
  const reported = { cached: false, reasoning: false };
  return {
    reports: (kind) => reported[kind],
    hasRefusal: () => hasRefusal,
    read: (rawEvent) => {
      const { data } = event.safeParse(rawEvent);
      const refusal = data?.choices?.[0]?.delta?.refusal || undefined;
      hasRefusal ||= refusal !== undefined || data?.type === 'response.refusal.delta';
      const counts = data?.usage ?? data?.message?.usage ?? data?.response?.usage;
      if (!counts) return { tokensUsed: undefined, refusal };
      const inputDetails = counts.input_tokens_details ?? counts.prompt_tokens_details;
      const outputDetails = counts.output_tokens_details ?? counts.completion_tokens_details;
      reported.cached ||= isCount(counts.cache_read_input_tokens ?? inputDetails?.cached_tokens);
      reported.reasoning ||= isCount(outputDetails?.reasoning_tokens);
      const cached =
        (counts.cache_creation_input_tokens ?? 0) + (counts.cache_read_input_tokens ?? 0);
      // Anthropic reports the input at the beginning, and afterwards only the output.
      input = Math.max(input, (counts.input_tokens ?? counts.prompt_tokens ?? 0) + cached);
      output = Math.max(output, counts.output_tokens ?? counts.completion_tokens ?? 0);
      return { tokensUsed: input + output, refusal };
    },
  };
}

const isCount = (value: number | null | undefined) => typeof value === 'number';
