/** Converts manifests to the drafts that are stored, and back. */
import { isDeepStrictEqual } from 'node:util';
import type { AgentManifest } from '../../../generated/manifest.js';
import { type AgentOptions, longestRunMs, type ToolText } from '../../contract/agent-options.js';
import { parseDuration } from '../../lib/time/duration.js';
import type { ModelNeeds } from '../../models/registry.js';
import { canonicalJson } from '../../models/tools/mcp-definition.js';
import type { AgentDraft } from '../drafts.js';
import { budgetWindowProblem } from '../../accounts/budgets.js';
import { invalid } from '../../contract/errors.js';

/** A manifest with the definitions that its tool servers report. */
export type ResolvedManifest = AgentManifest & Pick<AgentOptions, 'toolDefinitions' | 'toolTexts'>;

export function draftOf(manifest: ResolvedManifest): AgentDraft {
  const { model, temperature, instructions, timeout, history, endpoint, budget } = manifest;
  const timeoutMs = parseDuration(timeout) ?? 0;
  if (timeoutMs < 1 || timeoutMs > longestRunMs) {
    throw invalid({ field: 'timeout', error: 'must be from 1ms to 24h' });
  }
  const windowProblem = budget && budgetWindowProblem(budget.window);
  if (windowProblem) throw invalid({ field: 'budget.window', error: windowProblem });
  return {
    model,
    temperature: temperature ?? null,
    instructions,
    timeoutMs,
    historyLimit: history,
    endpoint: endpoint ?? null,
    options: optionsOf(manifest),
    budget: budget ?? null,
    policy: policyOf(manifest),
  };
}

function optionsOf(manifest: ResolvedManifest): AgentOptions {
  const { tools, toolDefinitions, toolTexts, fallbacks, output, remember } = manifest;
  const { maxOutputTokens, reasoning, historyTokens, summarize, recall, approvalTimeout } =
    manifest;
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(historyTokens === undefined ? {} : { historyTokens }),
    ...(summarize ? { summarize } : {}),
    ...(recall ? { recall } : {}),
    ...(approvalTimeout === undefined ? {} : { approvalTimeout }),
    ...(tools ? { tools } : {}),
    ...(toolDefinitions ? { toolDefinitions } : {}),
    ...(toolTexts ? { toolTexts } : {}),
    ...(fallbacks ? { fallbacks } : {}),
    ...(output ? { output } : {}),
    ...(remember ? {} : { remember }),
  };
}

/** What a draft or a manifest requires of its models. */
export function modelNeeds(agent: {
  endpoint?: object | null | undefined;
  options: { tools?: object | undefined; output?: object | undefined; recall?: boolean };
}): ModelNeeds {
  const { tools, output, recall = false } = agent.options;
  return {
    hasEndpoint: Boolean(agent.endpoint),
    needsLanguageModel: tools !== undefined || output !== undefined || recall,
  };
}

/** Not part of deployments, because a rollback must not restore a weaker policy. */
function policyOf({ auth, security, mfa, roles }: AgentManifest): AgentDraft['policy'] {
  return {
    ...(auth ? { auth } : {}),
    ...(security ? { security } : {}),
    ...(mfa ? { mfa } : {}),
    ...(roles ? { roles } : {}),
  };
}

/** Settings by their names in a manifest. Applying the settings of a draft to its agent changes nothing. */
type ManifestSettings = Record<string, unknown>;

export function settingsOf(draft: AgentDraft): ManifestSettings {
  const settings = Object.entries(allSettingsOf(draft));
  return Object.fromEntries(settings.filter(([name]) => name !== 'toolDefinitions'));
}

/** Includes settings that are not in the manifest but derived from it. */
function allSettingsOf(draft: AgentDraft): ManifestSettings {
  const { model, temperature, instructions } = draft;
  return {
    model,
    ...(temperature === null ? {} : { temperature }),
    ...(instructions === '' ? {} : { instructions }),
    ...deployedSettingsOf(draft),
    ...policySettingsOf(draft),
  };
}

/** The settings that a deployment freezes in addition to model, temperature and instructions. */
export function deployedSettingsOf({
  timeoutMs,
  historyLimit,
  endpoint,
  options,
}: Pick<AgentDraft, 'timeoutMs' | 'historyLimit' | 'endpoint' | 'options'>): ManifestSettings {
  return {
    timeout: timeoutMs % 1000 === 0 ? `${timeoutMs / 1000}s` : `${timeoutMs}ms`,
    history: historyLimit,
    ...(endpoint ? { endpoint } : {}),
    // The texts are long, and the hashes in `toolDefinitions` show whether they differ.
    ...Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'toolTexts')),
  };
}

/** The settings that no deployment freezes. */
export function policySettingsOf({
  budget,
  policy,
}: Pick<AgentDraft, 'budget' | 'policy'>): ManifestSettings {
  return { ...(budget ? { budget } : {}), ...policy };
}

export interface SettingChange {
  setting: string;
  /** Undefined if the setting is added. */
  from: unknown;
  /** Undefined if the setting is removed. */
  to: unknown;
}

/** `draft` is undefined for an agent that does not exist yet. */
export function changesBetween(
  draft: AgentDraft | undefined,
  desired: AgentDraft,
): SettingChange[] {
  const before = draft ? allSettingsOf(draft) : {};
  const after = allSettingsOf(desired);
  const settings = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...settings]
    .map((setting) => ({ setting, from: before[setting], to: after[setting] }))
    .filter(({ from, to }) => !isDeepStrictEqual(from, to))
    .map((change) =>
      change.setting === 'toolDefinitions'
        ? {
            setting: change.setting,
            from: changedTools(draft?.options, desired.options),
            to: changedTools(desired.options, draft?.options),
          }
        : change,
    );
}

/** The tools whose definitions differ, with the parts of their texts that differ. Undefined if there are none. */
function changedTools(own: AgentOptions = {}, others: AgentOptions = {}): unknown {
  const changed = Object.entries(own.toolDefinitions ?? {}).filter(
    ([name, hash]) => hash !== others.toolDefinitions?.[name],
  );
  if (changed.length === 0) return undefined;
  const texts = changed.map(([name, hash]) => {
    const text = own.toolTexts?.[name];
    const difference = text && textDifference(text, others.toolTexts?.[name]);
    return [name, difference ?? `sha256 ${hash}`] as const;
  });
  // With sorted keys, since a server or the database may return them in another order each time.
  return JSON.parse(canonicalJson(Object.fromEntries(texts)));
}

function textDifference(text: ToolText, other: ToolText | undefined): Partial<ToolText> {
  return {
    ...(text.description === other?.description ? {} : { description: text.description }),
    ...(isDeepStrictEqual(text.inputSchema, other?.inputSchema)
      ? {}
      : { inputSchema: text.inputSchema }),
  };
}
