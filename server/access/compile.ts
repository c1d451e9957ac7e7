/** Compiles the security settings of a manifest to a policy. */
import type { FieldProblem } from '../../generated/api.js';
import type { IpWhitelist, RateLimit } from '../../generated/manifest.js';
import { parseDuration } from '../lib/time/duration.js';
import { createNetworks, type Networks } from '../lib/net/networks.js';
import type { Limit } from '../lib/async/token-bucket.js';
import type { ClientAuthority } from './certificate-chain.js';
import { parseCertificates } from './certificate-file.js';
import type { Policy, PolicySettings } from './policy.js';
import { collectProblems, SettingProblem } from './setting-problem.js';
import { type PolicySources, textOf } from './sources.js';
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
