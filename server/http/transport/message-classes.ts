/**
 * Request and response classes whose instances already have the prototypes of an Express application. Express sets
 * them with `Object.setPrototypeOf` on every request, which halves its throughput; on these instances it is a no-op.
 */
import http from 'node:http';
import type { Express } from 'express';

export interface MessageClasses {
  IncomingMessage: typeof http.IncomingMessage;
  ServerResponse: typeof http.ServerResponse;
}

export function installMessageClasses(app: Express): MessageClasses {
  class Request extends http.IncomingMessage {}
  class Response<Message extends http.IncomingMessage> extends http.ServerResponse<Message> {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
}
