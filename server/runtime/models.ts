/** Finds the model that answers for an agent, by the provider in its name. */
import type { AgentEndpoint } from '../lib/agent-endpoint.js';
import { type Model, ModelFailure } from './model.js';
import type { AnthropicSettings } from './providers/anthropic.js';
import { echo } from './providers/echo.js';
import { httpAgent } from './providers/http.js';
import type { LocalSettings } from './providers/local.js';
import type { OpenAiSettings } from './providers/openai.js';

/** What each provider needs; one that is undefined is not configured. */
export interface ProviderSettings {
  openai: OpenAiSettings | undefined;
  anthropic: AnthropicSettings | undefined;
  local: LocalSettings | undefined;
  /** For development: an agent's own endpoint may be plain http and on a private address. */
  allowPrivateTargets: boolean;
}

export interface ModelChoice {
  /** `provider/name`. */
  model: string;
  endpoint: AgentEndpoint | null;
}

export interface Models {
  /** Throws a ModelFailure if the provider is not configured here. */
  open: (choice: ModelChoice) => Promise<Model>;
}

type ByName = (name: string) => Model;

export function createModels(settings: ProviderSettings): Models {
  const { openai, anthropic, local, allowPrivateTargets } = settings;
  // The SDK behind these takes half a second to load, which a service that only echoes need not wait for.
  const providers: Record<string, (() => Promise<ByName>) | undefined> = {
    openai:
      openai && once(async () => (await import('./providers/openai.js')).openaiModels(openai)),
    anthropic:
      anthropic &&
      once(async () => (await import('./providers/anthropic.js')).anthropicModels(anthropic)),
    local: local && once(async () => (await import('./providers/local.js')).localModels(local)),
  };

  return {
    async open({ model, endpoint }) {
      const slash = model.indexOf('/');
      const provider = model.slice(0, slash);
      if (model === 'builtin/echo') return echo;
      if (provider === 'http' && endpoint) {
        return httpAgent(endpoint, { allowPrivate: allowPrivateTargets });
      }
      const load = providers[provider];
      if (load) return (await load())(model.slice(slash + 1));
      throw new ModelFailure(`the provider '${provider}' is not configured`, { retryable: false });
    },
  };
}

function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () => (loading ??= load());
}
