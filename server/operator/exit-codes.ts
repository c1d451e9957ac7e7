/** The exit codes of the operator's commands, with the same meaning as in the client's command line. */
import { exitCodes } from '../../client/cli/exit-code-values.js';
import type { ErrorCode } from '../../generated/api.js';
import { ServiceError } from '../contract/errors.js';
import { Interrupted } from '../lib/system/interrupt.js';
import { DatabaseNotReady } from '../postgres/connection-problem.js';
import { isStoreUnavailable } from '../postgres/errors.js';
import { CommandFailure } from './failure.js';

export const exitCodeHelp = `Exit codes:
  0    success
  1    failure: any other error
  2    wrong usage, or invalid input such as a manifest
  3    access denied
  4    not found
  5    conflict with the current state, such as a name that is taken
  6    try again later: the database cannot be reached, or is busy
  130  interrupted by Ctrl-C (129 and 143: by a closed terminal, by SIGTERM)
agents diff exits with 0 if nothing would change, 1 if something would, and 2 on any error.`;

const byCode: Partial<Record<ErrorCode, number>> = {
  invalid_request: exitCodes.usage,
  unauthorized: exitCodes.denied,
  forbidden: exitCodes.denied,
  not_found: exitCodes.notFound,
  conflict: exitCodes.conflict,
  idempotency_mismatch: exitCodes.conflict,
  rate_limited: exitCodes.unavailable,
  unavailable: exitCodes.unavailable,
};

const bySignal = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.hangUp,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof Interrupted) return bySignal[error.signal];
  if (error instanceof ServiceError) return byCode[error.code] ?? exitCodes.failure;
  const isUnreachable = error instanceof DatabaseNotReady || isStoreUnavailable(error);
  return isUnreachable ? exitCodes.unavailable : exitCodes.failure;
}
