/** The endpoint of an `http/…` agent: the manifest's `endpoint`, with the client certificate of its `security.mtls`. */
import type { Endpoint } from '../../generated/manifest.js';

export interface AgentEndpoint extends Endpoint {
  /** Paths of the client certificate and its private key. */
  clientCertificate?: { certFile: string; keyFile: string };
}
