/**
 * Compiles policies, and keeps each until the settings, or the secret and file that they refer to, have changed: a long list of addresses
 * takes tens of milliseconds to compile, and is asked for again every second.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { FieldProblem } from '../../generated/api.js';
import { compilePolicy } from './compile.js';
import type { Policy, PolicySettings } from './policy.js';
import { type PolicySources, readSources } from './sources.js';

/** Undefined if the settings are invalid. */
type CompileFor = (agentId: string, settings: PolicySettings) => Promise<Policy | undefined>;

interface Compiled {
  fingerprint: string;
  policy: Policy | undefined;
}

/** In characters of settings: those of 800 agents with the longest lists, or of far more with usual ones. */
const maxSize = 16_000_000;

/** Reports problems once for the same settings. */
export function createPolicyCompiler(
  onInvalidSettings: (agentId: string, problems: FieldProblem[]) => void,
): CompileFor {
  const compiled = new LRUCache<string, Compiled>({ maxSize });
  return async (agentId, settings) => {
    const sources = await readSources(settings);
    const input = inputOf(settings, sources);
    // A digest, so that the secret is kept in no other form than the one that is needed.
    const fingerprint = hash('sha256', input);
    const kept = compiled.get(agentId);
    if (kept?.fingerprint === fingerprint) return kept.policy;
    const outcome = await compilePolicy(settings, sources);
    const policy = 'policy' in outcome ? outcome.policy : undefined;
    if ('problems' in outcome) onInvalidSettings(agentId, outcome.problems);
    compiled.set(agentId, { fingerprint, policy }, { size: input.length });
    return policy;
  };
}

/** Everything that the policy depends on. */
function inputOf(settings: PolicySettings, sources: PolicySources): string {
  return JSON.stringify([settings, sources], (_name, value: unknown) =>
    value instanceof Error ? value.message : value,
  );
}
