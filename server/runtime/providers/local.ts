/** The `local` provider and those of PROVIDERS_FILE: servers with an OpenAI-compatible API, such as Ollama, vLLM or LM Studio. */
import {
  createOpenAICompatible,
  type OpenAICompatibleProvider,
  type OpenAICompatibleProviderSettings,
} from '@ai-sdk/openai-compatible';
import { LRUCache } from 'lru-cache';
import { type Model, ModelFailure, type Prompt } from '../model.js';
import { secretsIn } from '../secret-reference.js';
import { languageModel } from './ai-sdk.js';
import { limitedFetch } from './limited-fetch.js';

export interface LocalSettings {
  baseUrl: string;
  apiKey: string | undefined;
  headers?: Readonly<Record<string, string>>;
  /** Whether an output schema is sent, so that the server can constrain the answer to it. By default it is. */
  structuredOutputs?: boolean;
  /** Whether the temperature is sent. By default it is. */
  temperature?: boolean;
}

/** Accounts choose the names of models, so their number must be limited. */
const maxRemembered = 1_000;

export function localProvider(
  { baseUrl, apiKey, headers, structuredOutputs = true }: LocalSettings,
  options: Pick<OpenAICompatibleProviderSettings, 'fetch'> = {},
): OpenAICompatibleProvider {
  return createOpenAICompatible({
    name: 'local',
    baseURL: baseUrl,
    includeUsage: true,
    supportsStructuredOutputs: structuredOutputs,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(headers ? { headers } : {}),
    ...options,
  });
}

export function localModels(settings: LocalSettings): (name: string) => Model {
  const { apiKey, baseUrl, headers = {}, temperature: takesTemperature = true } = settings;
  const provider = localProvider(settings, { fetch: limitedFetch });
  // Strict mode accepts only schemas in which every property is required. The service checks the response itself.
  const providerOptions = { local: { strictJsonSchema: false } };
  const options = { apiKey, secrets: secretsIn(headers), baseUrl, providerOptions };
  /** Models whose server takes no `response_format`, or not the kind that is sent. */
  const withoutFormat = new LRUCache<string, true>({ max: maxRemembered });

  return (name) => {
    const formatted = languageModel(provider(name), options);
    const plain = languageModel(provider(name), { ...options, sendsFormat: false });
    const adapt = (prompt: Prompt): Prompt =>
      takesTemperature ? prompt : { ...prompt, temperature: undefined };
    return {
      ...formatted,
      async *generate(prompt, ...rest) {
        const adapted = adapt(prompt);
        if (!adapted.outputSchema || withoutFormat.has(name)) {
          yield* plain.generate(adapted, ...rest);
          return;
        }
        try {
          yield* formatted.generate(adapted, ...rest);
        } catch (error) {
          if (!isFormatRefused(error)) throw error;
          withoutFormat.set(name, true);
          throw formatLeftOut(error);
        }
      },
    };
  };
}

/** LM Studio refuses `json_object`, DeepSeek `json_schema`, and others every format or some schemas. */
function isFormatRefused(error: unknown): error is ModelFailure {
  if (!(error instanceof ModelFailure) || (error.status !== 400 && error.status !== 422))
    return false;
  return /response_?format|json_?schema|json_?object|structured.?output/i.test(error.said ?? '');
}

/** The instructions contain the schema as well, and the answer is checked, so it is not needed. */
function formatLeftOut({ message, said, status }: ModelFailure): ModelFailure {
  return new ModelFailure(
    `${message}: it does not take the response_format, which is left out now`,
    {
      retryable: true,
      hasAdapted: true,
      said,
      status,
    },
  );
}
