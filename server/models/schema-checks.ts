/**
 * Checks JSON against untrusted schemas, in threads, because a pattern, a comparison or a reference in such a schema can
 * take unlimited time. A thread that takes too long is terminated, and the next check starts another.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { builtModule } from '../contract/project-files.js';
import { orAborted } from '../lib/async/abort.js';
import { FairQueue } from '../lib/async/fair-queue.js';
import { withTimeLimit } from '../lib/async/time-limit.js';
import { exceededLimit } from '../lib/data/json-limits.js';
import { hasCode } from '../lib/errors/error-code.js';
import { maxSchema, maxSchemaCheck } from './limits.js';

/** The schema could not be used. The message completes a sentence, such as "takes longer than 1000 ms to check". */
export class SchemaFailure extends Error {
  override readonly name = 'SchemaFailure';
}

const check = createSchemaChecks(maxSchemaCheck);

/** Why a schema is too large, such as "is nested more than 64 levels deep"; undefined if it is not. */
export function excessOfSchema(schema: object): string | undefined {
  return exceededLimit(schema, maxSchema);
}

/** Why a schema cannot be used; undefined if it can. */
export async function problemWithSchema(schema: object): Promise<string | undefined> {
  const excess = excessOfSchema(schema);
  if (excess !== undefined) return excess;
  try {
    return await check('', { schema: JSON.stringify(schema) });
  } catch (error) {
    if (error instanceof SchemaFailure) return error.message;
    throw error;
  }
}

/** Resolves to the problem with the JSON text, if any. Rejects with a SchemaFailure, or with the signal's reason. */
export function checkJson(
  { schema, json }: { schema: object; json: string },
  queueKey: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  return check(queueKey, { schema: JSON.stringify(schema), json }, signal);
}

/** Both are JSON text. Without `json`, the schema is only compiled. */
export interface CheckRequest {
  schema: string;
  json?: string;
}

export interface CheckReply {
  /** Why the value is invalid; undefined if it is valid. */
  problem?: string | undefined;
  /** Why the schema cannot be used. */
  failure?: string;
}

interface CheckLimits {
  /** Each runs one check at a time. Checks with the same key can use half of them. */
  threads: number;
  /** The maximum duration of one check, without the time that it waits for a thread. */
  ms: number;
  megabytes: number;
}

/** Resolves to the problem with the value, if any. Rejects with a SchemaFailure, or with the signal's reason. */
type CheckWithSchema = (
  queueKey: string,
  request: CheckRequest,
  signal?: AbortSignal,
) => Promise<string | undefined>;

export function createSchemaChecks({ threads, ms, megabytes }: CheckLimits): CheckWithSchema {
  const queue = new FairQueue(threads);
  const idle = new Set<Worker>();

  const start = async (): Promise<Worker> => {
    const thread = new Worker(builtModule('models/schema-thread'), {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: megabytes },
    });
    thread.once('exit', () => idle.delete(thread));
    // Without a listener, an error would end the process. `once` below reports the error of a running check.
    thread.on('error', () => undefined);
    // The start-up time does not count as part of a check.
    await once(thread, 'message');
    return thread;
  };

  const ask = async (request: CheckRequest): Promise<CheckReply> => {
    const [available] = idle;
    const thread = available ?? (await start());
    idle.delete(thread);
    // A running check keeps the process alive, an idle thread does not.
    thread.ref();
    try {
      const replied = once(thread, 'message') as Promise<[CheckReply]>;
      thread.postMessage(request);
      const late = new SchemaFailure(`takes longer than ${ms} ms to check`);
      const [reply] = await withTimeLimit(replied, ms, late);
      thread.unref();
      idle.add(thread);
      return reply;
    } catch (error) {
      await thread.terminate();
      if (!hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY')) throw error;
      throw new SchemaFailure(`takes more than ${megabytes} MiB of memory to check`);
    }
  };

  return async (queueKey, request, signal) => {
    const asked = queue.run(queueKey, async () => {
      // The client may have disconnected while the check was waiting.
      signal?.throwIfAborted();
      return ask(request);
    });
    const { problem, failure } = await (signal ? orAborted(asked, signal) : asked);
    if (failure !== undefined) throw new SchemaFailure(failure);
    return problem;
  };
}
