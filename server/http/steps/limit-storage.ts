/** Refuses operations that would store more when the account has stored its bytes of the day, and counts what they store. */
import type { OperationId, Route } from '../../../generated/operations.js';
import { dailyLimitReached } from '../../contract/errors.js';
import type { StoredBytes } from '../../accounts/stored-bytes.js';
import type { OperationContext } from '../../accounts/operation-context.js';
import type { AnyOperation, Operations } from '../../contract/operations.js';

interface StorageParts {
  operations: Operations<OperationContext>;
  storedBytes: StoredBytes;
}

/** Reading, searching, deleting, revoking and rolling back are always possible. */
const storing: ReadonlySet<OperationId> = new Set<OperationId>([
  'invokeAgent',
  'updateAgent',
  'createDeployment',
  'createWebhook',
  'createApiKey',
]);

export function limitStorage(
  { operationId, streams }: Route,
  { operations, storedBytes }: StorageParts,
): AnyOperation<OperationContext> {
  const operation: AnyOperation<OperationContext> = operations[operationId];
  if (!storing.has(operationId)) return operation;
  return async (input, context) => {
    const { body }: { body: unknown } = input;
    const { accountId, limits } = context.caller;
    const retryAfter = storedBytes.secondsUntilFree(accountId, limits.bytesPerDay);
    if (retryAfter > 0) {
      const what = `stored ${limits.bytesPerDay} bytes`;
      throw dailyLimitReached(what, { cap: 'bytesPerDay', retryAfter });
    }
    const response = await operation(input, context);
    // What is stored is about as long as the request and the response. An invocation that has run is counted where it is recorded.
    const isRecorded = streams && response.status === 200;
    if ('body' in response && !isRecorded) {
      storedBytes.add(accountId, Buffer.byteLength(JSON.stringify([body, response.body])));
    }
    return response;
  };
}
