/** The model: a plain description of an account's content, written from the contract and not from the server. */
import type { FuzzRequest } from '../http.js';

export interface AgentRecord {
  id: string;
  name: string;
  status: string;
  model: string;
  temperature: number;
  created_at: string;
  updated_at: string;
  isGone: boolean;
  deployments: DeploymentRecord[];
  memory: MemoryRecord[];
  /** The environments of successful invocations, by their request ids. */
  invocations: Map<string, string>;
}

export interface DeploymentRecord {
  id: string;
  environment: string;
  version: string;
  status: string;
  model: string;
  temperature: number;
  created_at: string;
  replaced_deployment_id: string | null;
}

export interface MemoryRecord {
  role: string;
  content: string;
  request_id: string;
  user_id: string | null;
  session_id: string | null;
  environment: string;
}

export interface KeyRecord {
  id: string;
  /** Unknown for keys that existed before. */
  key?: string;
  agent_id: string | null;
  name: string;
  permissions: string[];
  created_at: string;
  created_by: string | null;
  expires_at: string | null;
  isGone: boolean;
}

export interface WebhookRecord {
  id: string;
  agent_id: string | null;
  url: string;
  events: string[];
  created_at: string;
  isGone: boolean;
}

export interface StoredAnswer {
  payload: string;
  status: number;
  body: unknown;
}

export interface State {
  agents: AgentRecord[];
  keys: KeyRecord[];
  webhooks: WebhookRecord[];
  /** By caller, method, path and Idempotency-Key. */
  stored: Map<string, StoredAnswer>;
}

/** A request as the model sees it. */
export interface Call {
  state: State;
  request: FuzzRequest;
  caller: KeyRecord;
}

export function isExpired({ expires_at: end }: KeyRecord): boolean {
  return end !== null && Date.parse(end) <= Date.now();
}

/** Undefined if the agent does not exist or is not visible to the caller. */
export function findAgent({ state, caller }: Call, reference: unknown): AgentRecord | undefined {
  return state.agents.find(
    ({ id, name, isGone }) =>
      !isGone &&
      (id === reference || name === reference) &&
      (caller.agent_id === null || caller.agent_id === id),
  );
}

/** The agent of the path, which is known to exist. */
export function agentOf(call: Call): AgentRecord {
  const agent = findAgent(call, call.request.path['agent_id']);
  if (!agent) throw new Error(`The model has no agent ${String(call.request.path['agent_id'])}.`);
  return agent;
}

/** Whether a resource of an agent, or of the account, is visible to the caller. */
export function isVisible(
  { caller }: Call,
  { agent_id: agentId, isGone }: { agent_id: string | null; isGone: boolean },
): boolean {
  return !isGone && (caller.agent_id === null || caller.agent_id === agentId);
}

/** A time as responses format it: in UTC, truncated to milliseconds. */
export function canonicalTime(text: string): string {
  return new Date(text.replace(/(\.\d{3})\d+/, '$1')).toISOString();
}
