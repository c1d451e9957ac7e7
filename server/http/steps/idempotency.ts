/** Idempotency-Key: the first request with a key takes effect, and repeats of it receive the stored response. */
import type { Response } from 'express';
import type { Route } from '../../../generated/operations.js';
import {
  idempotencyMismatch,
  invalid,
  nothingToCancel,
  requestInProgress,
  responseDropped,
} from '../../contract/errors.js';
import type { BytesInFlight, Reservation } from '../../lib/async/bytes-in-flight.js';
import type { OperationContext } from '../../accounts/operation-context.js';
import type { Database } from '../../postgres/database.js';
import {
  ClaimLost,
  idempotencyLeaseMs,
  type IdempotencyScope,
  type RecordOutcome,
  type StartedRequest,
} from '../../idempotency/records.js';
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
import { reserveUntilSent, sendJson, sendSerialised } from '../transport/respond.js';

export interface IdempotencyParts extends ResumptionParts {
  database: Database;
  /** Aborts when the service is about to stop. */
  stopping: AbortSignal;
  /** Resolves to the id of the invocation that was cancelled; to undefined if it has ended. */
  cancel: (
    found: Extract<RecordOutcome, { outcome: 'running' | 'replay' }>,
  ) => Promise<string | undefined>;
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
  /** `Prefer: cancel` stops what an earlier request with the key runs, and never runs anything itself. */
  const cancel = async (req: StepRequest, res: Response, scope: IdempotencyScope | undefined) => {
    if (!scope)
      throw invalid({ field: 'Idempotency-Key', error: 'is that of the request to cancel' });
    const find = async () => {
      const found = await parts.records.find(scope, bodyOf(req));
      if (!found) throw nothingToCancel();
      if (found.outcome === 'mismatch') throw idempotencyMismatch();
      if (found.outcome === 'dropped') throw responseDropped();
      return found;
    };
    // Again, because the run may have begun to wait for approval in the meantime.
    const requestId = (await parts.cancel(await find())) ?? (await parts.cancel(await find()));
    if (requestId !== undefined) {
      const body = { success: true, data: { request_id: requestId } };
      sendJson(res, 202, body, { 'Preference-Applied': 'cancel' });
      return;
    }
    const ended = await find();
    if (ended.outcome !== 'replay') throw requestInProgress();
    replay(res, ended.response, bytesInFlight.open(scope.accountId));
  };
  const commitWithoutKey: Commit = (effect) => parts.database.transaction(effect);

  return async (req, res, next) => {
    const key = route.idempotent ? req.headers['idempotency-key'] : undefined;
    const lastEventId = route.streams ? req.headers['last-event-id'] : undefined;
    const scope = typeof key === 'string' ? scopeOf(req, key) : undefined;
    if (route.streams && preferencesOf(req).has('cancel')) {
      await cancel(req, res, scope);
      return;
    }
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
        attachClaim(req, res, begun, parts);
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
function attachClaim(
  req: StepRequest,
  res: Response,
  { claim, requestId }: Pick<StartedRequest, 'claim' | 'requestId'>,
  parts: IdempotencyParts,
): void {
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
    requestId,
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
