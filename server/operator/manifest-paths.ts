/** Makes the paths in a manifest absolute, since the service does not run in the manifest's directory. */
import path from 'node:path';
import type { AgentManifest, Mtls } from '../../generated/manifest.js';
import { parseSecretReference } from '../lib/text/secret-reference.js';

export function withAbsolutePaths(manifest: AgentManifest, directory: string): AgentManifest {
  const { auth, endpoint, tools, security } = manifest;
  return {
    ...manifest,
    ...(auth ? { auth: withAbsoluteReferences(auth, directory) } : {}),
    ...(endpoint ? { endpoint: withAbsoluteReferences(endpoint, directory) } : {}),
    ...(tools ? { tools: withAbsoluteReferences(tools, directory) } : {}),
    ...(security?.mtls
      ? { security: { ...security, mtls: withAbsoluteFiles(security.mtls, directory) } }
      : {}),
  };
}

function withAbsoluteFiles(mtls: Mtls, directory: string): Mtls {
  const { caCert, clientCert, clientKey } = mtls;
  return {
    ...mtls,
    caCert: path.resolve(directory, caCert),
    ...(clientCert === undefined ? {} : { clientCert: path.resolve(directory, clientCert) }),
    ...(clientKey === undefined ? {} : { clientKey: path.resolve(directory, clientKey) }),
  };
}

/** Resolves every `${file:path}` inside a value. */
function withAbsoluteReferences<Value>(value: Value, directory: string): Value {
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) => {
    const reference = typeof inner === 'string' ? parseSecretReference(inner) : undefined;
    return reference?.kind === 'file'
      ? `\${file:${path.resolve(directory, reference.target)}}`
      : inner;
  }) as Value;
}
