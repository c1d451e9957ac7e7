/** Idempotency-Key: the first request with a key takes effect, and repeats of it receive the stored response. */
import type { Response } from 'express';
import type { Route } from '../../../generated/operations.js';
import { idempotencyMismatch, requestInProgress, responseDropped } from '../../contract/errors.js';
import type { BytesInFlight, Reservation } from '../../lib/async/bytes-in-flight.js';
import type { OperationContext, Claim } from '../../accounts/operation-context.js';
import type { Database } from '../../postgres/database.js';
import { ClaimLost, idempotencyLeaseMs, type IdempotencyScope } from '../../idempotency/records.js';
import { type StoredResponse, toStoredResponse } from '../../idempotency/sealed-response.js';
import { prefersEvents } from '../transport/negotiate.js';
import { awaitResults } from './await-result.js';
import {
  preferencesOf,
  replayedHeader,
  type ResumptionParts,
  resumeStreams,
} from './resume-stream.js';
import { callerOf, type Step, type StepRequest } from '../transport/request.js';
import { reserveUntilSent, sendSerialised } from '../transport/respond.js';

export interface IdempotencyParts extends ResumptionParts {
  database: Database;
  /** Aborts when the service is about to stop. */
  stopping: AbortSignal;
  /** How often the claim on a key is renewed while its request runs; well below the lease time. */
  renewEveryMs?: number;
}

type Commit = OperationContext['commit'];

export function honourIdempotencyKey(
  route: Route,
  parts: IdempotencyParts,
  bytesInFlight: BytesInFlight,
): Step {
  const awaitResult = awaitResults(parts.stopping, parts.databaseSlots);
  const { resume, follow } = resumeStreams(parts, bytesInFlight);
  const commitWithoutKey: Commit = (effect) => parts.database.transaction(effect);

  return async (req, res, next) => {
    const key = route.idempotent ? req.headers['idempotency-key'] : undefined;
    const lastEventId = route.streams ? req.headers['last-event-id'] : undefined;
    const scope = typeof key === 'string' ? scopeOf(req, key) : undefined;
    if (typeof lastEventId === 'string') {
      await resume(req, res, { scope, body: bodyOf(req), lastEventId });
      return;
    }
    if (!scope) {
      req.commit = commitWithoutKey;
      next();
      return;
    }
    const body = bodyOf(req);
    const acceptsStream = route.streams && prefersEvents(req);
    const isStream = acceptsStream && !preferencesOf(req).has('respond-async');
    const options = { owner: req.requestId, isStream };
    const begun = await awaitResult(req, res, () => parts.records.begin(scope, body, options));
    switch (begun.outcome) {
      case 'started':
        attachClaim(req, res, begun.claim, parts);
        next();
        return;
      case 'replay':
        if (acceptsStream && begun.response.status === 200)
          await follow(req, res, { ...begun, after: 0 });
        else replay(res, begun.response, bytesInFlight.open(scope.accountId));
        return;
      case 'running':
        if (!isStream || !begun.isStream) throw requestInProgress();
        await follow(req, res, { ...begun, after: 0 });
        return;
      case 'dropped':
        throw responseDropped();
      case 'mismatch':
        throw idempotencyMismatch();
    }
  };
}

function scopeOf(req: StepRequest, key: string): IdempotencyScope {
  const { id: callerId, accountId } = callerOf(req);
  return { accountId, callerId, method: req.method, path: req.path, key };
}

function bodyOf(req: StepRequest): string {
  return JSON.stringify(req.body ?? null);
}

/** Renews the claim while the request runs, and lets the operation complete or release it. */
function attachClaim(req: StepRequest, res: Response, claim: Claim, parts: IdempotencyParts): void {
  const { database, records, streams, renewEveryMs = idempotencyLeaseMs / 4 } = parts;
  const renew = async () => {
    const renewed = await records.renew(claim);
    // Lost to another process, or completed by the operation's own statement.
    if (renewed === 'lost') stopRenewal();
    else if (renewed.stopRequested) await streams.stop(claim);
  };
  const renewal = setInterval(() => {
    // A failed renewal can be ignored: the commit fails only if another process has taken over the expired lease.
    renew().catch(() => undefined);
  }, renewEveryMs);
  renewal.unref();
  const stopRenewal = () => {
    clearInterval(renewal);
  };
  res.once('close', stopRenewal);

  req.idempotencyClaim = {
    ...claim,
    holdUntil: (ended) => {
      res.off('close', stopRenewal);
      ended.then(stopRenewal, stopRenewal);
    },
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
      stopRenewal();
    }
  };
  req.releaseIdempotencyKey = async () => {
    stopRenewal();
    await records.abandon(claim);
  };
}

function replay(res: Response, response: StoredResponse, memory: Reservation): void {
  reserveUntilSent(res, response.body, memory);
  sendSerialised(res, response.status, response.body, { ...response.headers, ...replayedHeader });
}
