/** Puts load on a server from another process. */
import { Failure } from '../../lib/failure.js';
import type { Load, LoadResult } from './load.js';
import { remote } from './remote.js';

const execute = remote('scripts/bench/lib/load-program.ts');

/** Fails unless the responses have the status that is expected. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const result = (await execute(load)) as LoadResult;
  if (result.failures > (load.maxFailures ?? 0)) {
    throw new Failure(`${result.failures} requests to ${load.url} failed.`);
  }
  return result;
}
