/** The models that an agent's invocation may call: its own, then its fallbacks. */
import type { ModelCandidate } from '../models/call-model.js';
import type { Models } from '../models/models.js';
import type { ActiveAgent } from '../agents/agent-rows.js';

export function candidatesOf(
  { model, endpoint, options: { fallbacks = [] } }: ActiveAgent,
  models: Models,
): [ModelCandidate, ...ModelCandidate[]] {
  const candidate = (name: string) => ({
    name,
    open: () => models.open({ model: name, endpoint }),
    limiter: models.limiterOf(name),
  });
  return [candidate(model), ...fallbacks.map(candidate)];
}
