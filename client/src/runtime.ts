/** What the client learns from the runtime that it runs in. */
import { clientVersion } from './generated/service.js';

interface Runtime {
  process?: {
    env?: Record<string, string | undefined>;
    versions?: Record<string, string | undefined>;
  };
  navigator?: { userAgent?: string };
}

const runtime: Runtime = globalThis;

export function environmentVariable(name: string): string | undefined {
  // A variable that is empty counts as not set.
  return runtime.process?.env?.[`AGENT_HOSTING_${name}`] || undefined;
}

/**
 * The version of this client and of its runtime. Browsers send a User-Agent of their own: another one would be a header
 * that the service must allow to pages of other origins.
 */
export function userAgent(): string | undefined {
  const { navigator: { userAgent: own = '' } = {}, process: { versions = {} } = {} } = runtime;
  if (own.startsWith('Mozilla')) return undefined;
  const name = ['deno', 'bun', 'node'].find((candidate) => versions[candidate]);
  return `agent-hosting-client/${clientVersion} ${name ? `${name}/${versions[name]}` : own}`.trimEnd();
}
