/** What the provider pretends to be: the kind of server, and the abilities and limits of its models. */

/** Servers of the Chat Completions API differ in what they accept and in the words of their errors. */
export type ServerKind =
  'openai' | 'vllm' | 'llama.cpp' | 'lmstudio' | 'tgi' | 'deepseek' | 'ollama';

export interface ModelSettings {
  /** A reasoning model of OpenAI: rejects `temperature` and `max_tokens`. By default, models named like o3 or gpt-5. */
  reasoning?: boolean;
  /** The values that a reasoning model takes for its effort. */
  efforts?: readonly string[];
  /** The most tokens that a prompt may have. */
  contextWindow?: number;
  /** Whether Anthropic counts `max_tokens` to the context, as it does for models before Claude 4.5. */
  maxTokensCount?: boolean;
  /** The most tokens that a request may ask for. */
  maxOutput?: number;
  /** A Claude model that takes no `temperature`, as from Opus 4.7 on. */
  rejectsTemperature?: boolean;
  /** A Claude model that does not continue an assistant message, as from Opus 4.6 on. */
  rejectsPrefill?: boolean;
}

export interface ProviderSettings {
  kind: ServerKind;
  /** For all models that `models` does not name. */
  model: ModelSettings;
  models: Readonly<Record<string, ModelSettings>>;
  /** Where a prompt that is too long is rejected: before the stream, or in it, as OpenAI Responses and LM Studio do. */
  overflow: 'status' | 'stream';
  /** Whether the arguments of replayed calls must be a JSON object. vLLM and llama.cpp always require it. */
  argumentsMustBeJson: boolean;
  /** Whether user and assistant must alternate, as the chat templates of many open models require. */
  rolesMustAlternate: boolean;
  /** Requests per second, which is also the burst; undefined: no limit. */
  requestsPerSecond: number | undefined;
}

export const defaultSettings: ProviderSettings = {
  kind: 'openai',
  model: {},
  models: {},
  overflow: 'status',
  argumentsMustBeJson: false,
  rolesMustAlternate: false,
  requestsPerSecond: undefined,
};

/** The settings that hold for a request. */
export interface Limits extends ProviderSettings {
  name: string;
  settings: ModelSettings;
}

export function limitsOf(provider: ProviderSettings, name: string): Limits {
  return { ...provider, name, settings: provider.models[name] ?? provider.model };
}

export function isReasoningModel({ name, settings }: Limits): boolean {
  return settings.reasoning ?? /(^|\/)(o\d|gpt-5)/.test(name);
}

export function effortsOf({ settings }: Limits): readonly string[] {
  return settings.efforts ?? ['minimal', 'low', 'medium', 'high'];
}
