/** Idempotency-Key: the first request with a key has the effect, repeats of it get the stored response. */
import type { Response } from 'express';
import type { Route } from '../../../generated/operations.js';
import { ServiceError, serverError, requestInProgress } from '../../domain/errors.js';
import type { OperationContext } from '../../operations/context.js';
import type { JsonResponse } from '../../operations/response.js';
import { replayAsEvents } from '../../operations/replay-events.js';
import type { Database } from '../../store/database.js';
import {
  type Claim,
  ClaimLost,
  idempotencyLeaseMs,
  type IdempotencyRecords,
  type StoredResponse,
} from '../../store/idempotency-records.js';
import { prefersEvents } from '../transport/negotiate.js';
import { awaitResults } from './await-result.js';
import { callerOf, type Step, type StepRequest } from '../transport/request.js';
import { sendSerialised } from '../transport/respond.js';
import { sendEvents } from '../transport/stream.js';

export interface IdempotencyParts {
  database: Database;
  records: IdempotencyRecords;
  /** Aborts when the service is about to stop. */
  stopping: AbortSignal;
  /** How often the claim on a key is renewed while its request runs; well below the lease time. */
  renewEveryMs?: number;
}

type Commit = OperationContext['commit'];

export function honourIdempotencyKey(route: Route, parts: IdempotencyParts): Step {
  const awaitResult = awaitResults(parts.stopping);
  const commitWithoutKey: Commit = (effect) => parts.database.transaction(effect);

  return async (req, res, next) => {
    const key = route.idempotent ? req.headers['idempotency-key'] : undefined;
    if (typeof key !== 'string') {
      req.commit = commitWithoutKey;
      next();
      return;
    }
    const scope = { callerId: callerOf(req).id, method: req.method, path: req.path, key };
    const body = JSON.stringify(req.body ?? null);
    const begun = await awaitResult(req, res, () => parts.records.begin(scope, body));
    switch (begun.outcome) {
      case 'started':
        attachClaim(req, res, begun.claim, parts);
        next();
        return;
      case 'replay':
        await replay(route, req, res, begun.response);
        return;
      case 'running':
        throw requestInProgress();
      case 'mismatch':
        throw new ServiceError(
          'idempotency_mismatch',
          'This Idempotency-Key was used with another body. Use a new key for a new request.',
        );
    }
  };
}

/** Renews the claim while the request runs, and lets the operation complete or release it. */
function attachClaim(req: StepRequest, res: Response, claim: Claim, parts: IdempotencyParts): void {
  const { database, records, renewEveryMs = idempotencyLeaseMs / 4 } = parts;
  const renewal = setInterval(() => {
    // A failed renewal is not an error yet: if the lease expires because of it, the commit fails.
    records.renew(claim).catch(() => undefined);
  }, renewEveryMs);
  renewal.unref();
  res.once('close', () => {
    clearInterval(renewal);
  });

  req.idempotencyClaim = {
    ...claim,
    seal: (response) => records.seal(claim.id, toStoredResponse(response)),
  };
  req.commit = async (effect) => {
    try {
      return await database.transaction(async (transaction) => {
        const response = await effect(transaction);
        await records.complete(transaction, claim, toStoredResponse(response));
        return response;
      });
    } catch (error) {
      throw error instanceof ClaimLost ? requestInProgress() : error;
    } finally {
      clearInterval(renewal);
    }
  };
  req.releaseIdempotencyKey = async () => {
    clearInterval(renewal);
    await records.abandon(claim);
  };
}

export function toStoredResponse({ status, headers = {}, body }: JsonResponse): StoredResponse {
  const values = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { status, headers: Object.fromEntries(values), body: JSON.stringify(body) };
}

async function replay(
  route: Route,
  req: StepRequest,
  res: Response,
  { status, headers: storedHeaders, body }: StoredResponse,
): Promise<void> {
  const headers = { ...storedHeaders, 'Idempotency-Replayed': 'true' };
  const events = prefersEvents(req) ? replayAsEvents[route.operationId]?.(status, body) : undefined;
  if (events) {
    await sendEvents(res, { status, headers, events }, (error) =>
      Promise.resolve(serverError(error)),
    );
  } else {
    sendSerialised(res, status, body, headers);
  }
}
