/** Finds out in which form a client wants its answer. */
import type { StepRequest } from './request.js';

/** Where the client ranks both forms alike, the one that it names first; without a word about it, JSON. */
export function prefersEvents(req: StepRequest): boolean {
  return (
    req.headers.accept?.includes('event-stream') === true &&
    req.accepts(['application/json', 'text/event-stream']) === 'text/event-stream'
  );
}
