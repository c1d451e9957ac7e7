/** Reads the environment variables and the version of the JavaScript runtime. */
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
  // An empty variable counts as not set.
  return runtime.process?.env?.[`AGENT_HOSTING_${name}`] || undefined;
}

/**
 * The version of this client and of its runtime. Undefined in browsers, which send their own User-Agent: setting it would
 * add a header that CORS must allow.
 */
export function userAgent(): string | undefined {
  const { navigator: { userAgent: own = '' } = {}, process: { versions = {} } = {} } = runtime;
  if (own.startsWith('Mozilla')) return undefined;
  const name = ['deno', 'bun', 'node'].find((candidate) => versions[candidate]);
  return `agent-hosting-client/${clientVersion} ${name ? `${name}/${versions[name]}` : own}`.trimEnd();
}
