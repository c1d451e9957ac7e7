/** The `local` provider: any server with an OpenAI-compatible API, such as Ollama, vLLM or llama.cpp. */
import { createOpenAICompatible, type OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import type { Model } from '../model.js';
import { languageModel } from './ai-sdk.js';

export interface LocalSettings {
  baseUrl: string;
  apiKey: string | undefined;
}

export function localProvider({ baseUrl, apiKey }: LocalSettings): OpenAICompatibleProvider {
  return createOpenAICompatible({
    name: 'local',
    baseURL: baseUrl,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
}

export function localModels(settings: LocalSettings): (name: string) => Model {
  const provider = localProvider(settings);
  return (name) => languageModel(provider(name), { apiKey: settings.apiKey });
}
