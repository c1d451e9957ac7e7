/** Content negotiation: JSON or server-sent events. */
import type { StepRequest } from './request.js';

/** If the client accepts both equally, the type that it names first; without an Accept header, JSON. */
export function prefersEvents(req: StepRequest): boolean {
  return (
    req.headers.accept?.includes('event-stream') === true &&
    req.accepts(['application/json', 'text/event-stream']) === 'text/event-stream'
  );
}
