/** Decides which models an agent may use: those whose provider is configured. */
import { parseModelName } from './model.js';
import type { Providers } from './models.js';
import { echoModel } from './providers/echo.js';

export interface ModelRegistry {
  /** Why the model cannot be used, in words for the user; undefined if it can. */
  problemWith: (model: string, agent: { hasEndpoint: boolean }) => string | undefined;
}

/** The `http` provider is configured per agent, by its endpoint. */
export function createRegistry({ openai, anthropic, local }: Providers): ModelRegistry {
  const providers = { openai, anthropic, local };
  const builtin = parseModelName(echoModel).provider;
  const available = [
    builtin,
    ...Object.entries(providers).flatMap(([name, settings]) => (settings ? [name] : [])),
  ];
  return {
    problemWith(model, { hasEndpoint }) {
      const { provider } = parseModelName(model);
      const usable = hasEndpoint ? [...available, 'http'] : available;
      if (provider === 'http' && !hasEndpoint) {
        return "provider 'http' needs an endpoint, which the operator names in the agent's manifest";
      }
      if (provider === builtin && model !== echoModel) {
        return `unknown model '${model}'; the ${builtin} provider has ${echoModel}`;
      }
      if (usable.includes(provider)) return undefined;
      const state = provider in providers ? 'is not configured' : 'is unknown';
      return `provider '${provider}' ${state}; configured: ${usable.join(', ')}`;
    },
  };
}
