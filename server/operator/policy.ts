/** What the operator is told about an agent's security settings before and after they are applied. */
import type { AgentManifest } from '../../generated/manifest.js';
import type { Config } from '../config/config.js';
import { findEnrolment } from '../domain/policy/one-time-code.js';
import { problemsWith } from '../domain/policy/usability.js';
import { providerTargets } from '../assembly/agent-policies.js';
import type { Database } from '../store/database.js';
import { CommandFailure } from './failure.js';

/** Refuses settings that the service could not evaluate, since it would let nobody in then. */
export async function assertUsablePolicy(manifest: AgentManifest, config: Config): Promise<void> {
  const problems = await problemsWith(manifest, providerTargets(config));
  if (problems.length === 0) return;
  throw new CommandFailure(
    [
      'The security settings cannot be evaluated, and nothing was changed:',
      ...problems.map(({ field, error }) => `  ${field} ${error}`),
    ].join('\n'),
  );
}

/** What will be refused, as things stand, though nothing is wrong with the manifest. */
export async function notesOn(
  database: Database,
  { name, security, mfa }: AgentManifest,
  agentId: string,
  { tls, trustProxy, clientCertHeader }: Config,
): Promise<string[]> {
  const isPlain = tls === undefined && trustProxy.length === 0;
  const sees = tls !== undefined || clientCertHeader !== undefined;
  const needsCode = mfa?.enabled === true && !(await findEnrolment(database, agentId));
  return [
    ...(security?.enforceHttps && isPlain
      ? ['security.enforceHttps refuses every request: set TLS_CERT and TLS_KEY, or TRUST_PROXY.']
      : []),
    ...(security?.mtls?.enabled && !sees
      ? ['security.mtls refuses every request: set TLS_CERT and TLS_KEY, or CLIENT_CERT_HEADER.']
      : []),
    ...(needsCode
      ? [`mfa refuses ${mfa.operations.join(' and ')} until you run: operator mfa enrol ${name}`]
      : []),
  ];
}
