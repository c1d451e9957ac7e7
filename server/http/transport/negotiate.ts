/** Content negotiation: JSON or server-sent events. */
import type { StepRequest } from './request.js';

/** If the client accepts both equally, the type that it names first; without an Accept header, JSON. */
export function prefersEvents(req: StepRequest): boolean {
  return (
    /event-stream/i.test(req.headers.accept ?? '') &&
    req.accepts(['application/json', 'text/event-stream']) === 'text/event-stream'
  );
}
