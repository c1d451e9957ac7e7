/** Compiles the security settings of a manifest to a policy. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { FieldProblem } from '../../generated/api.js';
import type { IpWhitelist, RateLimit } from '../../generated/manifest.js';
import { parseDuration } from '../lib/time/duration.js';
import { createNetworks, type Networks } from '../lib/net/networks.js';
import type { Limit } from '../lib/async/token-bucket.js';
import type { ClientAuthority } from './certificate-chain.js';
import type { Policy, PolicySettings } from './policy.js';
import { collectProblems, SettingProblem } from './setting-problem.js';
import { parseCertificates, type PolicySources, readSources, textOf } from './sources.js';
import { compileTokens } from './token-settings.js';

/** One invalid setting invalidates the whole policy, since enforcing only the others would accept requests that it should reject. */
type Compilation = { policy: Policy } | { problems: FieldProblem[] };

const maxWindowMs = 86_400_000;

export async function compilePolicy(
  settings: PolicySettings,
  { tokenSecret, clientAuthority }: PolicySources,
): Promise<Compilation> {
  const collector = collectProblems();
  const { problems, attempt } = collector;
  const { auth, mfa, roles = {}, security = {} } = settings;
  const { enforceHttps = false, hsts, ipWhitelist, mtls, rateLimit } = security;
  const policy: Policy = {
    tokens:
      auth && (await attempt('auth', () => compileTokens(auth, roles, tokenSecret, collector))),
    enforceHttps,
    hsts: hsts?.enabled ? `max-age=${hsts.maxAge}` : undefined,
    networks: ipWhitelist?.enabled
      ? await attempt('security.ipWhitelist.addresses', () => compileNetworks(ipWhitelist))
      : undefined,
    clientAuthority:
      mtls && clientAuthority
        ? await attempt('security.mtls.caCert', () =>
            compileAuthority(mtls.caCert, textOf(clientAuthority)),
          )
        : undefined,
    rateLimit: rateLimit?.enabled
      ? await attempt('security.rateLimit.window', () => compileLimit(rateLimit))
      : undefined,
    needsCode: new Set(mfa?.enabled ? mfa.operations : []),
  };
  return problems.length > 0 ? { problems } : { policy };
}

async function compileAuthority(file: string, text: string): Promise<ClientAuthority> {
  const anchors = parseCertificates(file, text);
  // Imported on first use, to save the parser's time and memory where no agent uses mTLS.
  const { createClientAuthority } = await import('./certificate-chain.js');
  return createClientAuthority(anchors);
}

function compileNetworks({ addresses }: IpWhitelist): Networks {
  try {
    return createNetworks(addresses);
  } catch (error) {
    throw error instanceof RangeError
      ? new SettingProblem(`is not usable: ${error.message}`)
      : error;
  }
}

function compileLimit({ requests, window }: RateLimit): Limit {
  const windowMs = parseDuration(window) ?? 0;
  if (windowMs < 1_000 || windowMs > maxWindowMs) {
    throw new SettingProblem('must be from 1s to 1d');
  }
  return { capacity: requests, refillPerSecond: (requests * 1000) / windowMs };
}

/** Undefined if the settings are invalid. */
type CompileFor = (agentId: string, settings: PolicySettings) => Promise<Policy | undefined>;

interface Compiled {
  fingerprint: string;
  policy: Policy | undefined;
}

/** In characters of settings: those of 800 agents with the longest lists, or of far more with usual ones. */
const maxSize = 16_000_000;

/**
 * Keeps each policy until the settings, or the secret and file that they refer to, have changed: a long list of addresses takes tens of
 * milliseconds to compile, and is asked for again every second. Reports problems once for the same settings.
 */
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
