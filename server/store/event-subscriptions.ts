/** To how many webhooks the events of agents went lately: most agents have none, and then nobody needs to create an event. */
import type { InvocationRecord } from './record-invocation.js';

const maxSubscriptions = 10_000;

export function createSubscriptions() {
  const known = new Map<string, number>();
  const keyOf = ({ agentId, event }: InvocationRecord) => `${agentId} ${event.type}`;
  return {
    of: (invocation: InvocationRecord) => known.get(keyOf(invocation)) ?? 0,
    note: (invocation: InvocationRecord, deliveries: number) => {
      if (known.size >= maxSubscriptions) known.clear();
      if (deliveries === 0) known.delete(keyOf(invocation));
      else known.set(keyOf(invocation), deliveries);
    },
  };
}
