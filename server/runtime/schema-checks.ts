/**
 * Checks JSON with schemas that come from outside, in threads: a pattern, a comparison or a reference in such a schema can
 * take any time. A thread that takes too long is ended, and the next check starts another.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { orAborted } from '../lib/async/abort.js';
import { hasCode } from '../lib/errors/error-code.js';
import { createFairQueue, inSlot } from '../lib/async/fair-queue.js';
import { threadFile } from '../contract/project-files.js';
import { withTimeLimit } from '../lib/async/time-limit.js';

/** Both are JSON text. Without a value, the schema is compiled and nothing else. */
export interface CheckRequest {
  schema: string;
  json?: string;
}

export interface CheckReply {
  /** What is wrong with the value; undefined if it fits. */
  problem?: string | undefined;
  /** Why the schema cannot be used. */
  failure?: string;
}

export interface CheckLimits {
  /** Each runs one check at a time. An account alone gets half of them, so that one is left for others. */
  threads: number;
  /** For one check, from when a thread begins with it. */
  ms: number;
  megabytes: number;
}

/** The schema could not be used. The message goes on after its name, as in "takes longer than 1000 ms". */
export class SchemaFailure extends Error {
  override readonly name = 'SchemaFailure';
}

/** Resolves to what is wrong with the value. Rejects with a SchemaFailure, or with the signal's reason. */
export type CheckWithSchema = (
  accountId: string,
  request: CheckRequest,
  signal?: AbortSignal,
) => Promise<string | undefined>;

export function createSchemaChecks({ threads, ms, megabytes }: CheckLimits): CheckWithSchema {
  const queue = createFairQueue(threads);
  const idle = new Set<Worker>();

  const start = async (): Promise<Worker> => {
    const thread = new Worker(threadFile('runtime/schema-thread'), {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: megabytes },
    });
    thread.once('exit', () => idle.delete(thread));
    // An error without a listener would end the process. A running check has one of its own, which tells its caller.
    thread.on('error', () => undefined);
    // Its start does not count as part of a check.
    await once(thread, 'message');
    return thread;
  };

  const ask = async (request: CheckRequest): Promise<CheckReply> => {
    const [available] = idle;
    const thread = available ?? (await start());
    idle.delete(thread);
    // A process waits for a check, but not for a thread that has nothing to do.
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

  return async (accountId, request, signal) => {
    const asked = inSlot(queue, accountId, async () => {
      // The client may have left while this waited.
      signal?.throwIfAborted();
      return ask(request);
    });
    const { problem, failure } = await (signal ? orAborted(asked, signal) : asked);
    if (failure !== undefined) throw new SchemaFailure(failure);
    return problem;
  };
}
