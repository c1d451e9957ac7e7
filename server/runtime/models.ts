/** Opens models by the provider in their names. */
import type { AgentEndpoint } from '../contract/agent-options.js';
import { LRUCache } from 'lru-cache';
import { type Model, ModelFailure, parseModelName } from './model.js';
import { ProviderLimiter } from './provider-limiter.js';
import type { AnthropicSettings } from './providers/anthropic.js';
import { echo, echoModel } from './providers/echo.js';
import type { LocalSettings } from './providers/local.js';
import type { OpenAiSettings } from './providers/openai.js';

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

/** Accounts choose the names of models, so their number must be limited. */
const maxLimiters = 1_000;

interface ModelChoice {
  /** `provider/name`. */
  model: string;
  endpoint: AgentEndpoint | null;
}

export interface Models {
  /** Throws a ModelFailure if the provider is not configured. */
  open: (choice: ModelChoice) => Promise<Model>;
  /** Undefined for models that no provider limits together: the echo, and `http/…` agents. */
  limiterOf: (model: string) => ProviderLimiter | undefined;
}

type ModelFactory = (name: string) => Model;

export function createModels(options: ModelOptions): Models {
  const { openai, anthropic, local, allowPrivateTargets, firstPauseMs } = options;
  const compatible = Object.entries({ ...(local ? { local } : {}), ...options.servers });
  // Imported on first use, to save time and memory where a provider is not used.
  const loadHttp = once(() => import('./providers/http.js'));
  const factories = new Map<string, () => Promise<ModelFactory>>();
  if (openai) {
    factories.set(
      'openai',
      once(async () => (await import('./providers/openai.js')).openaiModels(openai)),
    );
  }
  if (anthropic) {
    factories.set(
      'anthropic',
      once(async () => (await import('./providers/anthropic.js')).anthropicModels(anthropic)),
    );
  }
  for (const [name, settings] of compatible) {
    factories.set(
      name,
      once(async () => (await import('./providers/local.js')).localModels(settings)),
    );
  }
  const limiters = new LRUCache<string, ProviderLimiter>({ max: maxLimiters });

  return {
    limiterOf(model) {
      if (!factories.has(parseModelName(model).provider)) return undefined;
      const limiter = limiters.get(model) ?? new ProviderLimiter({ firstPauseMs });
      limiters.set(model, limiter);
      return limiter;
    },
    async open({ model, endpoint }) {
      if (model === echoModel) return echo;
      const { provider, name } = parseModelName(model);
      if (provider === 'http' && endpoint) {
        const { httpAgent } = await loadHttp();
        return httpAgent(endpoint, { allowPrivate: allowPrivateTargets });
      }
      const loadFactory = factories.get(provider);
      if (loadFactory) return (await loadFactory())(name);
      throw new ModelFailure(`the provider '${provider}' is not configured`, { retryable: false });
    },
  };
}

function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () => (loading ??= load());
}
