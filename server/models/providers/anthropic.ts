/** The `anthropic` provider. */
import { createAnthropic } from '@ai-sdk/anthropic';
import type { Model, Prompt } from '../model.js';
import { languageModel, type ProviderOptions } from './ai-sdk.js';
import { modelFetch } from './limited-fetch.js';

export interface AnthropicSettings {
  apiKey: string;
  baseUrl: string | undefined;
}

/**
 * The API demands a limit. Enough for 60,000 characters; the library's default, the most that a model can write, is taken from the
 * context window before the prompt is.
 */
const maxOutputTokens = 16_384;

export function anthropicModels({
  apiKey,
  baseUrl = 'https://api.anthropic.com/v1',
}: AnthropicSettings): (name: string) => Model {
  const provider = createAnthropic({ apiKey, baseURL: baseUrl, fetch: modelFetch });
  return (name) =>
    languageModel(provider(name), {
      apiKey,
      baseUrl,
      name,
      maxOutputTokens,
      reasoningOptions: (reasoning) => ({ anthropic: thinking(name, reasoning) }),
    });
}

const thinkingTokens = { low: 2_048, medium: 8_192, high: 24_576 };

/** Models since Claude 5 take an effort, and decide themselves how long they think; earlier ones take a number of tokens. */
function thinking(
  name: string,
  reasoning: NonNullable<Prompt['reasoning']>,
): ProviderOptions[string] {
  if (reasoning === 'none') return { thinking: { type: 'disabled' } };
  if (/^claude-[a-z]+-(?:[5-9]|\d\d)(?:-|$)/.test(name)) {
    return { thinking: { type: 'adaptive' }, effort: reasoning };
  }
  return { thinking: { type: 'enabled', budgetTokens: thinkingTokens[reasoning] } };
}
