/** What an agent may be told to do besides answering with its model: stored with its draft and its deployments. */
import type { AgentManifest, Endpoint } from '../../generated/manifest.js';

export interface ToolText {
  description: string;
  inputSchema: object;
}

/** The manifest's own settings, as far as they are set, and what was found out when it was applied. */
export interface AgentOptions extends Pick<AgentManifest, 'tools' | 'fallbacks' | 'output'> {
  /** The hash of each definition of an MCP server's tool, by the name under which the model knows the tool. */
  toolDefinitions?: Record<string, string>;
  /** What was hashed, for people who compare. Left out for what an earlier version applied. */
  toolTexts?: Record<string, ToolText>;
  /** Left out: it remembers. */
  remember?: false;
}

/** The endpoint of an `http/…` agent: the manifest's `endpoint`, with the client certificate of its `security.mtls`. */
export interface AgentEndpoint extends Endpoint {
  /** Paths of the client certificate and its private key. */
  clientCertificate?: { certFile: string; keyFile: string };
}
