/** Finds out, before a manifest is applied, what would keep its security settings from working. */
import type { FieldProblem } from '../../../generated/api.js';
import type { Mtls } from '../../../generated/manifest.js';
import { readSecret } from '../../lib/secret-reference.js';
import { checkTarget, TargetRefused, type TargetPolicy } from '../../lib/target-address.js';
import { readCertificateFile, readKeyFile } from './certificate-file.js';
import { compilePolicy, type PolicySettings } from './compile.js';
import { type ProblemCollector, collectProblems, SettingProblem } from './setting-problem.js';

/** `targets` is where providers may be. Empty if everything that the settings refer to is there and fits. */
export async function problemsWith(
  settings: PolicySettings,
  targets: TargetPolicy,
): Promise<FieldProblem[]> {
  const attempts = collectProblems();
  const compiled = await compilePolicy(settings);
  const { auth, security } = settings;
  if (auth?.type === 'oauth2') {
    const { provider, clientSecret } = auth;
    await attempts.attempt('auth.provider', () => assertTarget(provider, targets));
    if (clientSecret !== undefined) {
      await attempts.attempt('auth.clientSecret', () => readSecret(clientSecret));
    }
  }
  if (security?.mtls) await checkFiles(security.mtls, attempts);
  return [...('problems' in compiled ? compiled.problems : []), ...attempts.problems];
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

/** Its other problems are found by compiling it. */
async function assertCurrent(file: string): Promise<void> {
  const anchors = await readCertificateFile(file).catch(() => []);
  const isOver = anchors.every(({ validTo }) => Date.parse(validTo) < Date.now());
  if (anchors.length > 0 && isOver) throw new SettingProblem(`has expired: ${file}`);
}
