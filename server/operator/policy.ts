/** Checks the security settings of a manifest before they are applied, and warns about them afterwards. */
import { exitCodes } from '../../client/cli/exit-code-values.js';
import type { AgentManifest } from '../../generated/manifest.js';
import type { Config } from '../config/config.js';
import { commandLine } from '../contract/command-line.js';
import { accountArguments } from '../accounts/accounts.js';
import { findEnrolment } from '../access/one-time-code.js';
import { problemsWith } from '../access/validate-settings.js';
import { isVariableDefined } from '../lib/text/secret-reference.js';
import type { TargetPolicy } from '../lib/net/target-address.js';
import type { Database } from '../postgres/database.js';
import { CommandFailure } from './failure.js';

/** Rejects settings that the service could not evaluate, since it would then refuse every request. */
export async function assertUsablePolicy(
  manifest: AgentManifest,
  targets: TargetPolicy,
): Promise<void> {
  const { auth } = manifest;
  const unreadableHere = [
    ...(auth?.type === 'jwt' && !isVariableDefined(auth.secret) ? ['auth.secret'] : []),
    ...(auth?.type === 'oauth2' && !isVariableDefined(auth.clientSecret)
      ? ['auth.clientSecret']
      : []),
  ];
  const found = await problemsWith(manifest, targets);
  // A variable that is set only for the service cannot be read here; checkVariables has checked that it is set there.
  const problems = found.filter(({ field }) => !unreadableHere.includes(field));
  if (problems.length === 0) return;
  throw new CommandFailure(
    'The security settings cannot be evaluated, and nothing was changed:',
    problems.map(({ field, error }) => `  ${field} ${error}`),
    exitCodes.usage,
  );
}

/** Warns about requests that the manifest refuses because of the current configuration. */
export async function policyNotes(
  database: Database,
  { name, security, mfa }: AgentManifest,
  agent: { accountId: string; agentId: string },
  { tls, trustProxy, clientCertHeader }: Config,
): Promise<string[]> {
  const isPlainHttp = tls === undefined && trustProxy.length === 0;
  const receivesCertificates = tls !== undefined || clientCertHeader !== undefined;
  const needsEnrolment = mfa?.enabled === true && !(await findEnrolment(database, agent));
  const inAccount = needsEnrolment ? await accountArguments(database, agent.accountId) : [];
  const enrolment = commandLine('mfa', 'enrol', name, ...inAccount);
  return [
    ...(security?.enforceHttps && isPlainHttp
      ? ['security.enforceHttps refuses every request: set TLS_CERT and TLS_KEY, or TRUST_PROXY.']
      : []),
    ...(security?.mtls?.enabled && !receivesCertificates
      ? ['security.mtls refuses every request: set TLS_CERT and TLS_KEY, or CLIENT_CERT_HEADER.']
      : []),
    ...(needsEnrolment
      ? [`mfa refuses ${mfa.operations.join(' and ')} until you run: ${enrolment}`]
      : []),
  ];
}
