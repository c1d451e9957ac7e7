/** Makes the file names in a manifest absolute, since the service does not run where the manifest lies. */
import path from 'node:path';
import type { AgentManifest } from '../../generated/manifest.js';

export function withAbsolutePaths(manifest: AgentManifest, directory: string): AgentManifest {
  const { auth, endpoint, security } = manifest;
  return {
    ...manifest,
    ...(auth ? { auth: withAbsoluteReferences(auth, directory) } : {}),
    ...(endpoint ? { endpoint: withAbsoluteReferences(endpoint, directory) } : {}),
    ...(security?.mtls
      ? { security: { ...security, mtls: mtlsWithAbsolutePaths(security.mtls, directory) } }
      : {}),
  };
}

type Mtls = NonNullable<NonNullable<AgentManifest['security']>['mtls']>;

function mtlsWithAbsolutePaths(mtls: Mtls, directory: string): Mtls {
  const { caCert, clientCert, clientKey } = mtls;
  return {
    ...mtls,
    caCert: path.resolve(directory, caCert),
    ...(clientCert === undefined ? {} : { clientCert: path.resolve(directory, clientCert) }),
    ...(clientKey === undefined ? {} : { clientKey: path.resolve(directory, clientKey) }),
  };
}

/** Resolves every `${file:path}` below a value. */
function withAbsoluteReferences<Value>(value: Value, directory: string): Value {
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) => {
    const file = typeof inner === 'string' ? /^\$\{file:(.+)\}$/.exec(inner)?.[1] : undefined;
    return file === undefined ? inner : `\${file:${path.resolve(directory, file)}}`;
  }) as Value;
}
