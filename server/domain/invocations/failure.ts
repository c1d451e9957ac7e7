/** Decides what an invocation that did not answer failed with. */
import { ModelFailure } from '../../runtime/model.js';
import { isStoreUnavailable } from '../../store/errors.js';
import { ClientDisconnected, ServiceError, serverError, unavailable } from '../errors.js';
import { Interruption } from './interruption.js';
import type { Failure } from './invocation.js';

const longestWait = 86_400;

export function toFailure(fault: unknown, timeoutMs: number): Failure {
  if (fault instanceof ModelFailure) return modelFailure(fault);
  if (fault instanceof Interruption) return interruption(fault, timeoutMs);
  return isStoreUnavailable(fault)
    ? { ...temporarilyUnavailable(fault), reason: 'the database did not answer' }
    : serviceFailure('a fault of the service', fault);
}

export function serviceFailure(reason: string, cause?: unknown): Failure {
  return { code: 'server_error', message: serverError(cause).message, reason, cause };
}

function modelFailure({ message, rateLimited, retryAfterMs }: ModelFailure): Failure {
  if (!rateLimited) {
    return {
      code: 'upstream_error',
      message: 'The model provider failed to answer.',
      reason: message,
    };
  }
  const retryAfter = Math.min(longestWait, Math.max(1, Math.ceil((retryAfterMs ?? 5_000) / 1000)));
  return {
    code: 'unavailable',
    message: `The model provider is limiting its rate. Retry in ${seconds(retryAfter)}.`,
    retryAfter,
    reason: message,
  };
}

function interruption({ kind }: Interruption, timeoutMs: number): Failure {
  switch (kind) {
    case 'timeout':
      return {
        code: 'timeout',
        message: `The agent did not answer within ${seconds(timeoutMs / 1000)}.`,
        reason: `no answer within ${timeoutMs} ms`,
      };
    case 'cancelled':
      return {
        code: 'cancelled',
        message: 'The caller left before the answer was there.',
        reason: 'the caller left',
      };
    case 'session_lost':
    case 'work_lost':
      return { ...temporarilyUnavailable(), reason: 'another process took its turn over' };
    case 'stopping':
      return { ...temporarilyUnavailable(), reason: 'the service was stopped' };
  }
}

function temporarilyUnavailable(cause?: unknown): Omit<Failure, 'reason'> {
  const { message, retryAfter = 1 } = unavailable(cause);
  return { code: 'unavailable', message, retryAfter, cause };
}

function seconds(count: number): string {
  return count === 1 ? '1 second' : `${count} seconds`;
}

/** What the caller gets. */
export function errorOf({
  code,
  message,
  retryAfter,
  cause,
}: Failure): ServiceError | ClientDisconnected {
  if (code === 'cancelled') return new ClientDisconnected(message);
  return new ServiceError(code, message, {
    cause,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}
