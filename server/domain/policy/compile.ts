/** Makes a policy from the security settings of a manifest, with every file and secret that they refer to read. */
import type { FieldProblem } from '../../../generated/api.js';
import type {
  AgentManifest,
  IpWhitelist,
  RateLimit,
  Security,
} from '../../../generated/manifest.js';
import { parseDuration } from '../../lib/duration.js';
import { createNetworks, type Networks } from '../../lib/networks.js';
import type { Limit } from '../../lib/token-bucket.js';
import { readCertificateFile } from './certificate-file.js';
import { createClientAuthority } from './certificate-chain.js';
import type { Policy } from './policy.js';
import { collectProblems, SettingProblem } from './setting-problem.js';
import { compileTokens } from './token-settings.js';

export type PolicySettings = Pick<AgentManifest, 'auth' | 'mfa' | 'roles'> & {
  security?: Partial<Security>;
};

/** Settings that cannot be evaluated make no policy at all: half of one would let in what the other half refuses. */
export type Compilation = { policy: Policy } | { problems: FieldProblem[] };

const longestWindowMs = 86_400_000;

export async function compilePolicy(settings: PolicySettings): Promise<Compilation> {
  const attempts = collectProblems();
  const { problems, attempt } = attempts;
  const { auth, mfa, roles = {}, security = {} } = settings;
  const { enforceHttps = false, hsts, ipWhitelist, mtls, rateLimit } = security;
  const policy: Policy = {
    tokens: auth && (await attempt('auth', () => compileTokens(auth, roles, attempts))),
    enforceHttps,
    hsts: hsts?.enabled ? `max-age=${hsts.maxAge}` : undefined,
    networks: ipWhitelist?.enabled
      ? await attempt('security.ipWhitelist.addresses', () => compileNetworks(ipWhitelist))
      : undefined,
    clientAuthority: mtls?.enabled
      ? await attempt('security.mtls.caCert', async () =>
          createClientAuthority(await readCertificateFile(mtls.caCert)),
        )
      : undefined,
    rateLimit: rateLimit?.enabled
      ? await attempt('security.rateLimit.window', () => compileLimit(rateLimit))
      : undefined,
    needsCode: new Set(mfa?.enabled ? mfa.operations : []),
  };
  return problems.length > 0 ? { problems } : { policy };
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
  if (windowMs < 1_000 || windowMs > longestWindowMs) {
    throw new SettingProblem('must be from 1s to 1d');
  }
  return { capacity: requests, refillPerSecond: (requests * 1000) / windowMs };
}
