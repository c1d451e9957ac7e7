/** The `openai` provider. */
import { createOpenAI, type OpenAIProvider, type OpenAIProviderSettings } from '@ai-sdk/openai';
import type { Model } from '../model.js';
import { languageModel } from './ai-sdk.js';
import { modelFetch } from './limited-fetch.js';

export interface OpenAiSettings {
  apiKey: string;
  baseUrl: string | undefined;
}

const defaultBaseUrl = 'https://api.openai.com/v1';

export function openaiProvider(
  { apiKey, baseUrl = defaultBaseUrl }: OpenAiSettings,
  options: Pick<OpenAIProviderSettings, 'fetch'> = {},
): OpenAIProvider {
  return createOpenAI({ apiKey, baseURL: baseUrl, ...options });
}

export function openaiModels(settings: OpenAiSettings): (name: string) => Model {
  const provider = openaiProvider(settings, { fetch: modelFetch });
  const openai = {
    // The service stores the conversation itself.
    store: false,
    // Strict mode accepts only schemas in which every property is required. The service checks the response itself.
    strictJsonSchema: false,
  };
  const { apiKey, baseUrl = defaultBaseUrl } = settings;
  return (name) =>
    languageModel(provider(name), {
      apiKey,
      baseUrl,
      name,
      providerOptions: { openai },
      reasoningOptions: (reasoningEffort) => ({ openai: { reasoningEffort } }),
      // Otherwise the API makes every parameter of a tool required.
      strictTools: false,
      minOutputTokens: 16,
    });
}
