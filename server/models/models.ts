/**
 * Opens models by the provider in their names.
 *
 * This folder turns a message into a reply. `createModels` opens the models of the configured providers, `openTools` and `createToolbox`
 * the tools of an agent, and `converse` calls both until there is an answer. `model.ts` has what goes into a model and comes out of it,
 * `tools/tool.ts` what a tool is, and `observer.ts` what a conversation reports of its calls. Callers that must not take from each other
 * pass different queue keys.
 */
import { LRUCache } from 'lru-cache';
import type { AgentEndpoint } from '../contract/agent-options.js';
import { type Model, ModelFailure, parseModelName } from './model.js';
import { ProviderLimiter } from './provider-limiter.js';
import { anthropicModels, type AnthropicSettings } from './providers/anthropic.js';
import { echo, echoModel } from './providers/echo.js';
import { httpAgent } from './providers/http.js';
import { localModels, type LocalSettings } from './providers/local.js';
import { openaiModels, type OpenAiSettings } from './providers/openai.js';

/** The settings of each model provider; undefined if it is not configured. */
export interface Providers {
  openai: OpenAiSettings | undefined;
  anthropic: AnthropicSettings | undefined;
  local: LocalSettings | undefined;
  /** More servers like `local`, by the name of the provider. */
  servers?: Readonly<Record<string, LocalSettings>>;
}

interface ModelOptions extends Providers {
  /** For development: an agent's endpoint may use plain http and a private address. */
  allowPrivateTargets: boolean;
  /** The first pause after a 429 without Retry-After; tests shorten it. */
  firstPauseMs?: number;
}

/** Users choose the names of models, so their number must be limited. */
const maxLimiters = 1_000;

interface ModelChoice {
  /** `provider/name`. */
  model: string;
  endpoint: AgentEndpoint | null;
}

export interface Models {
  /** Throws a ModelFailure if the provider is not configured. */
  open: (choice: ModelChoice) => Model;
  /** Undefined for models that no provider limits together: the echo, and `http/…` agents. */
  limiterOf: (model: string) => ProviderLimiter | undefined;
}

export function createModels(options: ModelOptions): Models {
  const { openai, anthropic, local, allowPrivateTargets, firstPauseMs } = options;
  const compatible = Object.entries({ ...(local ? { local } : {}), ...options.servers });
  const factories = new Map<string, (name: string) => Model>();
  if (openai) factories.set('openai', openaiModels(openai));
  if (anthropic) factories.set('anthropic', anthropicModels(anthropic));
  for (const [name, settings] of compatible) factories.set(name, localModels(settings));
  const limiters = new LRUCache<string, ProviderLimiter>({ max: maxLimiters });

  return {
    limiterOf(model) {
      if (!factories.has(parseModelName(model).provider)) return undefined;
      const limiter = limiters.get(model) ?? new ProviderLimiter({ firstPauseMs });
      limiters.set(model, limiter);
      return limiter;
    },
    open({ model, endpoint }) {
      if (model === echoModel) return echo;
      const { provider, name } = parseModelName(model);
      if (provider === 'http' && endpoint) {
        return httpAgent(endpoint, { allowPrivate: allowPrivateTargets });
      }
      const openModel = factories.get(provider);
      if (openModel) return openModel(name);
      throw new ModelFailure(`the provider '${provider}' is not configured`, { retryable: false });
    },
  };
}
