/** Checks the fixed arguments of a manifest's HTTP tools: nothing that the model sends may stand beside one or in its place. */
import type { AgentManifest, HttpTool } from '../../../generated/manifest.js';
import { declaredBy } from '../../models/tools/url-template.js';
import type { ManifestFinding } from './finding.js';

export function findingsInArguments({ tools }: AgentManifest): ManifestFinding[] {
  return (tools?.http ?? []).flatMap((tool, index) =>
    Object.keys(tool.arguments ?? {}).flatMap((name) => {
      const message = problemWithName(name, tool);
      if (message === undefined) return [];
      return [{ path: ['tools', 'http', index, 'arguments', name], message, isRefused: true }];
    }),
  );
}

function problemWithName(name: string, { parameters, url }: HttpTool): string | undefined {
  if (name === '__proto__') return 'is not a name that an argument can have';
  // Many servers do not tell names apart that differ only in upper and lower case.
  const isSame = (other: string) => other.toLowerCase() === name.toLowerCase();
  const seen = [...declaredBy(parameters), ...requiredBy(parameters)].find(isSame);
  if (seen !== undefined) {
    return `is in 'parameters' too, as '${seen}': the model would see it and could send its own`;
  }
  const inQuery = URL.canParse(url) && [...new URL(url).searchParams.keys()].some(isSame);
  return inQuery ? "is in the query of 'url' too" : undefined;
}

function requiredBy({ required }: HttpTool['parameters'] & { required?: unknown }): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
