/** Makes repeats of a request safe: the first one with an Idempotency-Key has the effect, the others get its answer. */
import type { Response } from 'express';
import type { Route } from '../../../generated/operations.js';
import { ServiceError, serverError, stillRunning } from '../../domain/errors.js';
import type { OperationContext } from '../../operations/context.js';
import type { JsonResponse } from '../../operations/response.js';
import { storedAsEvents } from '../../operations/stored-events.js';
import type { Database } from '../../store/database.js';
import {
  type Claim,
  ClaimLost,
  type IdempotencyRecords,
  type StoredResponse,
} from '../../store/idempotency-records.js';
import { prefersEvents } from '../transport/negotiate.js';
import { callerOf, type Step, type StepRequest } from '../transport/request.js';
import { sendSerialised } from '../transport/respond.js';
import { sendEvents } from '../transport/stream.js';

export interface IdempotencyParts {
  database: Database;
  records: IdempotencyRecords;
  /** How often a claim is renewed while its request runs; well within the lease. */
  renewEveryMs?: number;
}

type Commit = OperationContext['commit'];

export function honourIdempotencyKey(route: Route, parts: IdempotencyParts): Step {
  const plainCommit: Commit = (effect) => parts.database.transaction(effect);

  return async (req, res, next) => {
    const key = route.idempotent ? req.headers['idempotency-key'] : undefined;
    if (typeof key !== 'string') {
      req.commit = plainCommit;
      next();
      return;
    }
    const beginning = await parts.records.begin(
      { callerId: callerOf(req).id, method: req.method, path: req.path, key },
      JSON.stringify(req.body ?? null),
    );
    switch (beginning.outcome) {
      case 'started':
        claimFor(req, res, beginning.claim, parts);
        next();
        return;
      case 'replay':
        await replay(route, req, res, beginning.response);
        return;
      case 'running':
        throw stillRunning();
      case 'mismatch':
        throw new ServiceError(
          'idempotency_mismatch',
          'This Idempotency-Key was used with another body. Use a new key for a new request.',
        );
    }
  };
}

function claimFor(req: StepRequest, res: Response, claim: Claim, parts: IdempotencyParts): void {
  const { database, records, renewEveryMs = 10_000 } = parts;
  const renewal = setInterval(() => {
    // A renewal that fails shows at the commit, which then does not go through.
    records.renew(claim).catch(() => undefined);
  }, renewEveryMs);
  renewal.unref();
  res.once('close', () => {
    clearInterval(renewal);
  });

  req.heldKey = { ...claim, seal: (answer) => records.seal(claim.id, storable(answer)) };
  req.commit = async (effect) => {
    try {
      return await database.transaction(async (transaction) => {
        const answer = await effect(transaction);
        await records.complete(transaction, claim, storable(answer));
        return answer;
      });
    } catch (error) {
      throw error instanceof ClaimLost ? stillRunning() : error;
    } finally {
      clearInterval(renewal);
    }
  };
  req.release = async () => {
    clearInterval(renewal);
    await records.abandon(claim);
  };
}

export function storable({ status, headers = {}, body }: JsonResponse): StoredResponse {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { status, headers: Object.fromEntries(texts), body: JSON.stringify(body) };
}

async function replay(
  route: Route,
  req: StepRequest,
  res: Response,
  { status, headers, body }: StoredResponse,
): Promise<void> {
  const marked = { ...headers, 'Idempotency-Replayed': 'true' };
  const events = prefersEvents(req) ? storedAsEvents[route.operationId]?.(status, body) : undefined;
  if (events) {
    const answer = { status, headers: marked, events };
    await sendEvents(res, answer, (fault) => Promise.resolve(serverError(fault)));
  } else {
    sendSerialised(res, status, body, marked);
  }
}
