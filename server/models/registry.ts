/** Decides which models an agent may use: those whose provider is configured. Apart from models.ts, which loads the providers' libraries. */
import { parseModelName } from './model.js';
import type { Providers } from './models.js';
import { echoModel } from './providers/echo.js';

/** What an agent requires of its model. */
export interface ModelNeeds {
  hasEndpoint: boolean;
  /** Whether the agent has tools, recall or an output schema, which only language models support. */
  needsLanguageModel: boolean;
}

export interface ModelRegistry {
  /** Tells the user why the model cannot be used; undefined if it can. */
  problemWith: (model: string, needs: ModelNeeds) => string | undefined;
}

/** The providers that have variables of their own; PROVIDERS_FILE names more. The `http` provider is configured per agent, by its endpoint. */
export const providerNames = [
  'openai',
  'anthropic',
  'local',
] as const satisfies (keyof Providers)[];

export type ProviderName = (typeof providerNames)[number];

export function isProviderName(name: string): name is ProviderName {
  return providerNames.some((known) => known === name);
}

export function configuredProviders({ servers = {}, ...settings }: Providers): string[] {
  const own = providerNames.filter((name) => settings[name] !== undefined);
  return [...own, ...Object.keys(servers)];
}

export function createRegistry(configured: readonly string[]): ModelRegistry {
  const builtin = parseModelName(echoModel).provider;
  const available = [builtin, ...configured];
  return {
    problemWith(model, { hasEndpoint, needsLanguageModel }) {
      const { provider } = parseModelName(model);
      const usable = hasEndpoint ? [...available, 'http'] : available;
      if (provider === 'http' && !hasEndpoint) {
        return "provider 'http' needs an endpoint, which the operator sets in the agent's manifest";
      }
      if (provider === builtin && model !== echoModel) {
        return `unknown model '${model}'; the ${builtin} provider has ${echoModel}`;
      }
      if (needsLanguageModel && (provider === builtin || provider === 'http')) {
        return `provider '${provider}' supports neither tools nor an output schema nor recall, but the agent's manifest has one of them`;
      }
      if (usable.includes(provider)) return undefined;
      const state = isProviderName(provider) ? 'is not configured' : 'is unknown';
      return `provider '${provider}' ${state}; configured: ${usable.join(', ')}`;
    },
  };
}
