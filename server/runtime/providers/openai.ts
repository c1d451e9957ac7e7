/** Models of OpenAI. */
import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai';
import type { Model } from '../model.js';
import { languageModel } from './ai-sdk.js';

export interface OpenAiSettings {
  apiKey: string;
  baseUrl: string | undefined;
}

export function openaiProvider({ apiKey, baseUrl }: OpenAiSettings): OpenAIProvider {
  return createOpenAI({ apiKey, ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) });
}

export function openaiModels(settings: OpenAiSettings): (name: string) => Model {
  const provider = openaiProvider(settings);
  // The conversation is kept here; there is no reason for the provider to keep it as well.
  return (name) => languageModel(provider(name), { openai: { store: false } });
}
