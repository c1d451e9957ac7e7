/** Which models can answer here: the providers that are configured. */

export interface ModelRegistry {
  /** Why the model cannot be used, for people; undefined if it can. */
  problemWith: (model: string, agent: { hasEndpoint: boolean }) => string | undefined;
}

/** Whether each provider is configured; `http` is configured per agent, by its endpoint. */
export type ConfiguredProviders = Record<'openai' | 'anthropic' | 'local', boolean>;

export function createRegistry(configured: ConfiguredProviders): ModelRegistry {
  const available = [
    'builtin',
    ...Object.entries(configured).flatMap(([name, is]) => (is ? [name] : [])),
  ];
  return {
    problemWith(model, { hasEndpoint }) {
      const provider = model.slice(0, model.indexOf('/'));
      const usable = hasEndpoint ? [...available, 'http'] : available;
      if (provider === 'http' && !hasEndpoint) {
        return "provider 'http' needs an endpoint, which the operator names in the agent's manifest";
      }
      if (provider === 'builtin' && model !== 'builtin/echo') {
        return `unknown model '${model}'; the builtin provider has builtin/echo`;
      }
      if (usable.includes(provider)) return undefined;
      const known = provider in configured ? 'is not configured' : 'is unknown';
      return `provider '${provider}' ${known}; configured: ${usable.join(', ')}`;
    },
  };
}
