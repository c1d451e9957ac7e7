/** A request that the provider has received, and what it may do with it. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ModelPrompt } from './prompts.js';
import type { ApiName, Rejection } from './rejection.js';
import type { ServerKind } from './settings.js';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The request body, always JSON. */
  body: unknown;
  /** Undefined for a request to another server than a model's. */
  api: ApiName | undefined;
  kind: ServerKind;
  /** The request to a model, in one form for all APIs. */
  prompt: () => ModelPrompt;
  /** Why the provider rejected it: as invalid, too long, or one of too many. */
  rejection?: Rejection;
  /** Resolves when the connection of this request is closed or its response complete. */
  closed: Promise<void>;
  /** Whether the client disconnected before the response was complete. */
  wasAborted: () => boolean;
}

export type Behaviour = (res: ServerResponse, request: Received) => void | Promise<void>;
