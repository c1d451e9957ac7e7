/** Counts how deep agents are nested that call the service again over HTTP: through a tool, an MCP server or their endpoint. */
import { ServiceError } from '../contract/errors.js';
import { traceStateWith } from '../lib/net/trace-state.js';
import type { TraceHeaders } from '../models/observer.js';
import type { InvocationScope } from '../telemetry/telemetry.js';

const maxHops = 5;

/** Throws if the request comes from agents that are nested too deeply. */
export function assertNoLoop(hops: number): void {
  if (hops <= maxHops) return;
  throw new ServiceError(
    'conflict',
    `Agents call each other in a loop. This request comes from an agent whose run was started by other agents, ${maxHops} deep.`,
    { retryable: false },
  );
}

/** The scope of an invocation whose requests to other servers say how deep it is nested. */
export function withHops(scope: InvocationScope, hops: number): InvocationScope {
  const counted = (headers: TraceHeaders): TraceHeaders => ({
    ...headers,
    tracestate: traceStateWith(hops + 1, headers['tracestate']),
  });
  return {
    ...scope,
    headers: counted(scope.headers),
    modelCall: (call) => {
      const own = scope.modelCall(call);
      return { ...own, headers: counted(own.headers) };
    },
    toolCall: (call) => {
      const own = scope.toolCall(call);
      return { ...own, headers: counted(own.headers) };
    },
  };
}
