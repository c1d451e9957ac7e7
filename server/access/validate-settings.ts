/** Validates the security settings of a manifest before it is applied, including the files and addresses that they refer to. */
import type { FieldProblem } from '../../generated/api.js';
import type { Mtls } from '../../generated/manifest.js';
import { readSecret } from '../lib/text/secret-reference.js';
import { checkTarget, TargetRefused, type TargetPolicy } from '../lib/net/target-address.js';
import { currentTime } from '../lib/time/clock.js';
import { compilePolicy } from './compile.js';
import type { PolicySettings } from './policy.js';
import { type ProblemCollector, collectProblems, SettingProblem } from './setting-problem.js';
import { readCertificateFile, readKeyFile, readSources } from './sources.js';

/** Returns no problems if the settings can be used. `targets` are the addresses that providers may have. */
export async function problemsWith(
  settings: PolicySettings,
  targets: TargetPolicy,
): Promise<FieldProblem[]> {
  const collector = collectProblems();
  const compiled = await compilePolicy(settings, await readSources(settings));
  const { auth, security } = settings;
  if (auth?.type === 'oauth2') {
    const { provider, clientSecret } = auth;
    await collector.attempt('auth.provider', () => assertTarget(provider, targets));
    if (clientSecret !== undefined) {
      await collector.attempt('auth.clientSecret', () => readSecret(clientSecret));
    }
  }
  if (security?.mtls) await checkFiles(security.mtls, collector);
  return [...('problems' in compiled ? compiled.problems : []), ...collector.problems];
}

async function assertTarget(provider: string, targets: TargetPolicy): Promise<void> {
  try {
    await checkTarget(new URL(provider), targets);
  } catch (error) {
    throw error instanceof TargetRefused ? new SettingProblem(error.reason) : error;
  }
}

async function checkFiles(mtls: Mtls, { attempt }: ProblemCollector): Promise<void> {
  const { enabled, caCert, clientCert, clientKey } = mtls;
  if (enabled) await attempt('security.mtls.caCert', () => assertCurrent(caCert));
  if (clientCert === undefined || clientKey === undefined) return;
  const chain = await attempt('security.mtls.clientCert', () => readCertificateFile(clientCert));
  await attempt('security.mtls.clientKey', async () => {
    const key = await readKeyFile(clientKey);
    if (chain && !chain[0].checkPrivateKey(key)) {
      throw new SettingProblem('is not the key of clientCert');
    }
  });
}

/** Ignores a file that cannot be read, since the compilation has already reported it. */
async function assertCurrent(file: string): Promise<void> {
  const anchors = await readCertificateFile(file).catch(() => []);
  const areExpired = anchors.every(({ validTo }) => Date.parse(validTo) < currentTime());
  if (anchors.length > 0 && areExpired) throw new SettingProblem(`has expired: ${file}`);
}
