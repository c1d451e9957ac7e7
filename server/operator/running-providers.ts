/** Checks that the running services have the model providers that manifests name. This shell may have others. */
import type { AgentManifest } from '../../generated/manifest.js';
import { modelNeeds } from '../domain/agents/manifest-form.js';
import { parseModelName } from '../runtime/model.js';
import {
  createRegistry,
  isProviderName,
  type ProviderName,
  providerNames,
} from '../runtime/registry.js';
import type { Database } from '../store/postgres/database.js';
import { readRunningInstances } from '../store/installation/instances.js';
import { CommandFailure } from './failure.js';

const variables: Record<ProviderName, string> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  local: 'LOCAL_BASE_URL',
};

/** Throws if a model cannot be used. Returns what the operator should know, such as what could not be checked. */
export async function checkModels(
  database: Database,
  manifests: readonly AgentManifest[],
): Promise<string[]> {
  const instances = await readRunningInstances(database);
  const running = instances
    .filter(({ role }) => role === 'service')
    .map(({ providers }) => providers);
  const isAnyRunning = running.length > 0;
  const somewhere = providerNames.filter((name) => running.some((own) => own.includes(name)));
  const everywhere = somewhere.filter((name) => running.every((own) => own.includes(name)));
  const registry = createRegistry(isAnyRunning ? somewhere : providerNames);

  const problems = manifests.flatMap((manifest) => {
    const needs = modelNeeds({ endpoint: manifest.endpoint, options: manifest });
    return modelsOf(manifest).flatMap(({ field, model }) => {
      const problem = registry.problemWith(model, needs);
      return problem === undefined
        ? []
        : [`  ${manifest.name}: ${field}: ${problem}${remedy(model)}`];
    });
  });
  if (problems.length > 0) {
    throw new CommandFailure(
      'The service cannot run the model, and nothing was changed:',
      problems,
    );
  }
  const unsure = new Set(
    manifests
      .flatMap(modelsOf)
      .map(({ model }) => parseModelName(model).provider)
      .filter((provider) => isProviderName(provider) && !everywhere.includes(provider)),
  );
  return [...unsure].map((provider) =>
    isAnyRunning
      ? `provider '${provider}' is configured in some of the running services only.`
      : `no service is running, so it could not be checked that it has the provider '${provider}'.`,
  );
}

function modelsOf({ model, fallbacks = [] }: AgentManifest): { field: string; model: string }[] {
  return [
    { field: 'model', model },
    ...fallbacks.map((fallback) => ({ field: 'fallbacks', model: fallback })),
  ];
}

function remedy(model: string): string {
  const { provider } = parseModelName(model);
  return isProviderName(provider)
    ? `. Set ${variables[provider]} for the service, and restart it`
    : '';
}
