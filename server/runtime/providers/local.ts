/** The `local` provider: any server with an OpenAI-compatible API, such as Ollama, vLLM or llama.cpp. */
import {
  createOpenAICompatible,
  type OpenAICompatibleProvider,
  type OpenAICompatibleProviderSettings,
} from '@ai-sdk/openai-compatible';
import type { Model } from '../model.js';
import { languageModel } from './ai-sdk.js';
import { limitedFetch } from './limited-fetch.js';

export interface LocalSettings {
  baseUrl: string;
  apiKey: string | undefined;
}

export function localProvider(
  { baseUrl, apiKey }: LocalSettings,
  options: Pick<OpenAICompatibleProviderSettings, 'fetch'> = {},
): OpenAICompatibleProvider {
  return createOpenAICompatible({
    name: 'local',
    baseURL: baseUrl,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...options,
  });
}

export function localModels(settings: LocalSettings): (name: string) => Model {
  const provider = localProvider(settings, { fetch: limitedFetch });
  return (name) =>
    languageModel(provider(name), {
      ...settings,
      name,
      reasoningOptions: (reasoningEffort) => ({ local: { reasoningEffort } }),
    });
}
