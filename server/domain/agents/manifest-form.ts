/** Between a manifest and the draft that is stored of it, in both directions. */
import { isDeepStrictEqual } from 'node:util';
import type { AgentManifest } from '../../../generated/manifest.js';
import { parseDuration } from '../../lib/duration.js';
import type { AgentDraft } from '../../store/agent-drafts.js';
import { invalid } from '../errors.js';

const maxTimeoutMs = 600_000;

export function draftOf(manifest: AgentManifest): AgentDraft {
  const { model, temperature, instructions, timeout, history, endpoint } = manifest;
  const timeoutMs = parseDuration(timeout) ?? 0;
  if (timeoutMs < 1 || timeoutMs > maxTimeoutMs) {
    throw invalid({ field: 'timeout', error: 'must be from 1ms to 10m' });
  }
  return {
    model,
    temperature,
    instructions,
    timeoutMs,
    historyLimit: history,
    endpoint: endpoint ?? null,
    policy: policyOf(manifest),
  };
}

/** Kept apart from what is deployed: a rollback must not restore a weaker policy. */
function policyOf({ auth, security, mfa, roles }: AgentManifest): AgentDraft['policy'] {
  return {
    ...(auth ? { auth } : {}),
    ...(security ? { security } : {}),
    ...(mfa ? { mfa } : {}),
    ...(roles ? { roles } : {}),
  };
}

/** The settings of a manifest by their names in it. What is stored was a manifest once, so applying them changes nothing. */
export type ManifestSettings = Record<string, unknown>;

export function settingsOf(draft: AgentDraft): ManifestSettings {
  const { model, temperature, instructions, timeoutMs, historyLimit, endpoint, policy } = draft;
  return {
    model,
    temperature,
    ...(instructions === '' ? {} : { instructions }),
    timeout: timeoutMs % 1000 === 0 ? `${timeoutMs / 1000}s` : `${timeoutMs}ms`,
    history: historyLimit,
    ...(endpoint ? { endpoint } : {}),
    ...policy,
  };
}

export interface SettingChange {
  setting: string;
  /** Undefined if it was not there, or is removed. */
  from: unknown;
  to: unknown;
}

export function changesBetween(before: ManifestSettings, after: ManifestSettings): SettingChange[] {
  const settings = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...settings]
    .map((setting) => ({ setting, from: before[setting], to: after[setting] }))
    .filter(({ from, to }) => !isDeepStrictEqual(from, to));
}
