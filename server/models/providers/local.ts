/** The `local` provider and those of PROVIDERS_FILE: servers with an OpenAI-compatible API, such as Ollama, vLLM or LM Studio. */
import {
  createOpenAICompatible,
  type OpenAICompatibleProvider,
  type OpenAICompatibleProviderSettings,
} from '@ai-sdk/openai-compatible';
import type { Model } from '../model.js';
import { secretsIn } from '../../lib/text/secret-reference.js';
import { languageModel } from './ai-sdk.js';
import { modelFetch } from './limited-fetch.js';

export interface LocalSettings {
  baseUrl: string;
  apiKey: string | undefined;
  headers?: Readonly<Record<string, string>>;
  /** Whether an output schema is sent, so that the server can constrain the answer to it. By default it is. */
  structuredOutputs?: boolean;
  /** Whether the temperature is sent. By default it is. */
  temperature?: boolean;
}

export function localProvider(
  { baseUrl, apiKey, headers, structuredOutputs = true }: LocalSettings,
  options: Pick<OpenAICompatibleProviderSettings, 'fetch'> = {},
): OpenAICompatibleProvider {
  return createOpenAICompatible({
    name: 'local',
    baseURL: baseUrl,
    includeUsage: true,
    supportsStructuredOutputs: structuredOutputs,
    transformRequestBody: withOpenAiNames,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(headers ? { headers } : {}),
    ...options,
  });
}

/** OpenAI's reasoning models have another name for the output limit, on whatever server they are offered. */
function withOpenAiNames({
  max_tokens: limit,
  ...body
}: Record<string, unknown>): Record<string, unknown> {
  if (limit === undefined) return body;
  const isReasoningModel = /(?:^|\/)(?:o\d|gpt-5)/.test(String(body['model']));
  return { ...body, [isReasoningModel ? 'max_completion_tokens' : 'max_tokens']: limit };
}

export function localModels(settings: LocalSettings): (name: string) => Model {
  const { apiKey, baseUrl, headers = {}, temperature: takesTemperature = true } = settings;
  const provider = localProvider(settings, { fetch: modelFetch });
  return (name) =>
    languageModel(provider(name), {
      apiKey,
      secrets: secretsIn(headers),
      baseUrl,
      name,
      // Strict mode accepts only schemas in which every property is required. The service checks the response itself.
      providerOptions: { local: { strictJsonSchema: false } },
      reasoningOptions: (reasoningEffort) => ({ local: { reasoningEffort } }),
      without: takesTemperature ? [] : ['temperature'],
    });
}
