/** `Prefer: code=…` of an error that the service would give for a mistake: the mistake is made, so the error is the service's own. */

import type { RequestHandler } from 'express';
import type { Step, StepRequest } from '../../server/http/transport/request.js';
import { parsePreferences } from '../../server/lib/preferences.js';
import type { ExampleRequest } from '../lib/example-request.js';

/** The status that the request asks for. */
export function preferredStatus(req: Pick<StepRequest, 'headers'>): number | undefined {
  const code = parsePreferences(String(req.headers['prefer'] ?? '')).get('code');
  return code === undefined ? undefined : Number(code);
}

/** Before the operation is known. */
export const makeEarlyMistake: RequestHandler = (req, _res, next) => {
  const status = preferredStatus(req);
  if (status === 401) delete req.headers.authorization;
  if (status === 405) req.method = 'PUT';
  next();
};

/** Before the permission is checked. */
export const losePermissions: Step = (req, _res, next) => {
  if (preferredStatus(req) === 403 && req.caller) {
    req.caller = { ...req.caller, permissions: new Set() };
  }
  next();
};

/** Before validation: the body, or else a parameter, is not what the contract asks for. */
export function breakRequest({ body, query, path }: ExampleRequest): Step {
  return (req, _res, next) => {
    if (preferredStatus(req) === 400) {
      const [parameter] = query;
      if (body !== undefined) req.body = {};
      else if (parameter) req.url = `${req.path}?${parameter.name}=`;
      else req.params = Object.fromEntries(path.map(({ name }) => [name, '!']));
    }
    next();
  };
}
