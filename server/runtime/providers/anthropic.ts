/** The `anthropic` provider. */
import { createAnthropic } from '@ai-sdk/anthropic';
import type { Model } from '../model.js';
import { languageModel } from './ai-sdk.js';
import { limitedFetch } from './limited-fetch.js';

export interface AnthropicSettings {
  apiKey: string;
  baseUrl: string | undefined;
}

export function anthropicModels({
  apiKey,
  baseUrl = 'https://api.anthropic.com/v1',
}: AnthropicSettings): (name: string) => Model {
  const provider = createAnthropic({ apiKey, baseURL: baseUrl, fetch: limitedFetch });
  return (name) => languageModel(provider(name), { apiKey, baseUrl });
}
