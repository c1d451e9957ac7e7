/** Checks what a manifest's models accept: providers refuse every request of an agent with a tool that breaks their rules. */
import type { AgentManifest } from '../../../generated/manifest.js';
import { nameOfAgentTool } from '../../contract/agent-options.js';
import { parseModelName } from '../../models/model.js';
import { nameOfTool } from '../../models/tools/mcp-definition.js';
import type { ManifestFinding } from './finding.js';

/** The part of a tool that is wrong, and how. */
interface ToolFinding extends Omit<ManifestFinding, 'path'> {
  part: 'name' | 'description' | 'parameters';
}

interface ToolShape {
  /** As the model sees it. */
  name: string;
  description: string;
  parameters: object;
}

interface ToolRules {
  nameLength: number;
  descriptionLength: number;
}

const openaiRules: ToolRules = { nameLength: 64, descriptionLength: 1_024 };
const knownRules: Partial<Record<string, ToolRules>> = {
  openai: openaiRules,
  anthropic: { nameLength: 128, descriptionLength: Infinity },
};
/** Neither runs a language model, so neither has tools. */
const plainProviders: readonly string[] = ['builtin', 'http'];
const composition = ['anyOf', 'oneOf', 'allOf'];

/** The name of the tool that `recall: true` adds. */
const recallTool = 'recall';

export function findingsInModels(manifest: AgentManifest): ManifestFinding[] {
  return [
    ...findingsInSettings(manifest),
    ...findingsInNames(manifest),
    ...(manifest.tools?.http ?? []).flatMap((tool, index) =>
      findingsInTool(tool, manifest).map(({ part, ...finding }) => ({
        path: ['tools', 'http', index, part],
        ...finding,
      })),
    ),
    ...(manifest.tools?.agents ?? []).flatMap(({ name, description }, index) =>
      findingsInTool(
        { name: nameOfAgentTool(name), description, parameters: { type: 'object' } },
        manifest,
      ).map(({ part, ...finding }) => ({ path: ['tools', 'agents', index, part], ...finding })),
    ),
  ];
}

/** What the agent's models refuse, or may refuse, about a tool. */
export function findingsInTool(
  { name, description, parameters }: ToolShape,
  manifest: AgentManifest,
): ToolFinding[] {
  const found = modelsWithTools(manifest).flatMap((model): ToolFinding[] => {
    const known = knownRules[parseModelName(model).provider];
    const { nameLength, descriptionLength } = known ?? openaiRules;
    const isRefused = known !== undefined;
    const limit = (length: number) =>
      isRefused ? `${model} takes at most ${length}` : `${model} may take only ${length}`;
    return [
      ...(name.length > nameLength
        ? [
            {
              part: 'name' as const,
              message: `results in the name '${name}' of ${name.length} characters; ${limit(nameLength)}`,
              isRefused,
            },
          ]
        : []),
      ...(description.length > descriptionLength
        ? [
            {
              part: 'description' as const,
              message: `has ${description.length} characters; ${limit(descriptionLength)}`,
              isRefused,
            },
          ]
        : []),
      ...problemsAtTopLevel(parameters).map((problem) => ({
        part: 'parameters' as const,
        message: `${problem}, which ${model} ${isRefused ? 'refuses' : 'may refuse'}`,
        isRefused,
      })),
    ];
  });
  // One model is enough to explain what is wrong, and one that certainly refuses it explains it best.
  const parts = new Map<string, ToolFinding>();
  for (const finding of found) {
    if (finding.isRefused || !parts.has(finding.part)) parts.set(finding.part, finding);
  }
  return [...parts.values()];
}

function modelsWithTools({ model, fallbacks = [] }: AgentManifest): string[] {
  return [model, ...fallbacks].filter(
    (name) => !plainProviders.includes(parseModelName(name).provider),
  );
}

function problemsAtTopLevel(schema: object): string[] {
  const { type } = schema as { type?: unknown };
  const found = composition.filter((keyword) => keyword in schema);
  return [
    ...(type === 'object' ? [] : ["is not of the type 'object'"]),
    ...(found.length === 0
      ? []
      : [`has ${found.map((name) => `'${name}'`).join(' and ')} at its top level`]),
  ];
}

/** The names of MCP tools, whose definitions only their servers know. */
function findingsInNames(manifest: AgentManifest): ManifestFinding[] {
  const { mcp = [], http = [] } = manifest.tools ?? {};
  const parameters = { type: 'object' };
  return [
    ...mcp.flatMap(({ name: server, allow }, index) =>
      allow.flatMap((tool, position) => {
        const name = nameOfTool(server, tool);
        return findingsInTool({ name, description: '', parameters }, manifest).map(
          ({ message, isRefused }) => ({
            path: ['tools', 'mcp', index, 'allow', position],
            message,
            isRefused,
          }),
        );
      }),
    ),
    ...http.flatMap(({ name }, index) =>
      manifest.recall && name === recallTool
        ? [
            {
              path: ['tools', 'http', index, 'name'],
              message: `is the name of the tool that 'recall: true' adds`,
              isRefused: true,
            },
          ]
        : [],
    ),
  ];
}

/** Settings of language models, which other models would silently ignore. */
const languageModelSettings = ['maxOutputTokens', 'reasoning', 'summarize', 'recall'] as const;

function findingsInSettings(manifest: AgentManifest): ManifestFinding[] {
  const { provider } = parseModelName(manifest.model);
  if (!plainProviders.includes(provider)) return [];
  return languageModelSettings
    .filter((name) => manifest[name] !== undefined && manifest[name] !== false)
    .map((name) => ({
      path: [name],
      message: `needs a language model, which ${manifest.model} is not`,
      isRefused: true,
    }));
}
