/** Checks that the running services have what manifests need; this shell may have other providers, variables and settings. */
import { exitCodes } from '../../client/cli/exit-code-values.js';
import type { AgentManifest } from '../../generated/manifest.js';
import { modelNeeds } from '../agents/manifests/conversion.js';
import { parseModelName } from '../models/model.js';
import {
  createRegistry,
  isProviderName,
  type ProviderName,
  providerNames,
} from '../models/registry.js';
import { parseSecretReference } from '../lib/text/secret-reference.js';
import type { Database } from '../postgres/database.js';
import { readRunningInstances } from '../postgres/instances.js';
import { CommandFailure } from './failure.js';

interface RunningService {
  providers: readonly string[];
  allowsPrivateTargets: boolean;
  variables: readonly string[];
}

export async function readRunningServices(database: Database): Promise<RunningService[]> {
  const instances = await readRunningInstances(database);
  return instances.filter(({ role }) => role === 'service');
}

const providerVariables: Record<ProviderName, string> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  local: 'LOCAL_BASE_URL',
};

/**
 * Throws if a model cannot be used. Returns notes for the operator, such as checks that could not be made. If no service is running,
 * the providers are those that have variables, and `named`: those of this shell's PROVIDERS_FILE.
 */
export function checkModels(
  services: readonly RunningService[],
  manifests: readonly AgentManifest[],
  named: readonly string[],
): string[] {
  const running = services.map(({ providers }) => providers);
  const isAnyRunning = running.length > 0;
  const known = isAnyRunning ? [...new Set(running.flat())] : [...providerNames, ...named];
  const onAllServices = known.filter(
    (name) => isAnyRunning && running.every((own) => own.includes(name)),
  );
  const registry = createRegistry(known);

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
      exitCodes.usage,
    );
  }
  const unverified = new Set(
    manifests
      .flatMap(modelsOf)
      .map(({ model }) => parseModelName(model).provider)
      .filter((provider) => known.includes(provider) && !onAllServices.includes(provider)),
  );
  return [...unverified].map((provider) =>
    isAnyRunning
      ? `provider '${provider}' is configured in only some of the running services.`
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
    ? `. Set ${providerVariables[provider]} for the service, and restart it`
    : '';
}

/** Throws if a secret refers to a variable that no service has. Returns notes for the operator. */
export function checkVariables(
  services: readonly RunningService[],
  manifests: readonly AgentManifest[],
): string[] {
  const running = services.map((service) => service.variables);
  const named = manifests.flatMap(({ name, auth, endpoint, tools }) =>
    variablesIn({ auth, endpoint, tools }).map((found) => ({ agent: name, ...found })),
  );
  const countLacking = (variable: string) =>
    running.filter((own) => !own.includes(variable)).length;
  const problems = named.flatMap(({ agent, field, variable }) =>
    running.length > 0 && countLacking(variable) === running.length
      ? [
          `  ${agent}: ${field} cannot be read: the variable ${variable} is not set. Set it for the service, and restart it`,
        ]
      : [],
  );
  if (problems.length > 0) {
    throw new CommandFailure(
      'The service lacks a secret of the agent, and nothing was changed:',
      problems,
      exitCodes.usage,
    );
  }
  const unverified = new Set(named.map(({ variable }) => variable));
  return [...unverified]
    .filter((variable) => running.length === 0 || countLacking(variable) > 0)
    .map((variable) =>
      running.length > 0
        ? `the variable ${variable} is set for only some of the running services.`
        : `no service is running, so it could not be checked that it has the variable ${variable}.`,
    );
}

/** Whether every running service may use private addresses; if none is running, the setting of this shell. */
export function allowPrivateTargets(
  services: readonly RunningService[],
  shellSetting: boolean,
): boolean {
  return services.length > 0
    ? services.every(({ allowsPrivateTargets }) => allowsPrivateTargets)
    : shellSetting;
}

/** Each `${env:NAME}` in the value, with the path to it. */
function variablesIn(value: unknown, path = ''): { field: string; variable: string }[] {
  if (typeof value === 'string') {
    const reference = parseSecretReference(value);
    return reference?.kind === 'env' ? [{ field: path, variable: reference.target }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const prefix = path === '' ? '' : `${path}.`;
  return Object.entries(value).flatMap(([key, inner]) => variablesIn(inner, `${prefix}${key}`));
}
