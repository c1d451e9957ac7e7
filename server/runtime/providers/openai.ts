/** The `openai` provider. */
import { createOpenAI, type OpenAIProvider, type OpenAIProviderSettings } from '@ai-sdk/openai';
import type { Model } from '../model.js';
import { languageModel } from './ai-sdk.js';
import { limitedFetch } from './limited-fetch.js';

export interface OpenAiSettings {
  apiKey: string;
  baseUrl: string | undefined;
}

export function openaiProvider(
  { apiKey, baseUrl }: OpenAiSettings,
  options: Pick<OpenAIProviderSettings, 'fetch'> = {},
): OpenAIProvider {
  return createOpenAI({
    apiKey,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...options,
  });
}

export function openaiModels(settings: OpenAiSettings): (name: string) => Model {
  const provider = openaiProvider(settings, { fetch: limitedFetch });
  const openai = {
    // The service stores the conversation itself, so the provider need not.
    store: false,
    // Strictly, it takes only schemas in which everything is required. The service checks the response itself.
    strictJsonSchema: false,
  };
  const options = { apiKey: settings.apiKey, providerOptions: { openai } };
  return (name) => languageModel(provider(name), options);
}
