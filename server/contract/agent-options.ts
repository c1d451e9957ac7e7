/** The types of an agent's optional settings (tools, fallbacks, output, endpoint), as drafts and deployments store them. */
import type { AgentManifest, Endpoint } from '../../generated/manifest.js';

export interface ToolText {
  description: string;
  inputSchema: object;
}

/** The settings that the manifest sets, and the tool definitions that were found when it was applied. */
export interface AgentOptions extends Pick<
  AgentManifest,
  | 'tools'
  | 'fallbacks'
  | 'output'
  | 'maxOutputTokens'
  | 'reasoning'
  | 'historyTokens'
  | 'approvalTimeout'
> {
  /** The hash of each MCP tool definition, keyed by the name that the model uses for the tool. */
  toolDefinitions?: Record<string, string>;
  /** The hashed definitions, for comparison by people. */
  toolTexts?: Record<string, ToolText>;
  /** Missing: the agent remembers. */
  remember?: false;
  summarize?: true;
  recall?: true;
}

/** The name of the tool that asks an agent. */
export function nameOfAgentTool(agent: string): string {
  return `ask_${agent}`;
}

/** The endpoint of an `http/…` agent: the manifest's `endpoint` with the client certificate from `security.mtls`. */
export interface AgentEndpoint extends Endpoint {
  /** Paths of the client certificate and its private key. */
  clientCertificate?: { certFile: string; keyFile: string };
}

/** What the API shows for an agent without a temperature. */
export const shownTemperature = 1;

/** The contract's limit of a run. */
export const longestRunMs = 24 * 3_600_000;

/** The contract's limit of a run whose client waits for it, and of a tool call. */
export const longestWaitMs = 600_000;
