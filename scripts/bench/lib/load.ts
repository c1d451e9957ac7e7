/** Runs autocannon in its own process. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Failure } from '../../lib/failure.js';
import { inProject } from '../../lib/project.js';

export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON. `[<id>]` in a header or in the body is replaced by a unique id if `ids` is set. */
  body?: object;
}

/** Sends a total number of requests, or as many as possible in a time. */
export type Load = LoadOptions & ({ requests: number } | { seconds: number });

interface LoadOptions {
  url: string;
  connections: number;
  /** Each connection sends these in turn. */
  send: LoadRequest[];
  /** `each`: every request has its own id; `tens`: each connection uses an id for ten requests. */
  ids?: 'each' | 'tens';
}

export interface LoadResult {
  requests: number;
  perSecond: number;
  /** Percentiles of the latency, in milliseconds. */
  p50: number;
  p99: number;
}

export interface LoadReport extends LoadResult {
  /** The number of responses with a status other than 2xx, or that did not arrive. */
  failures: number;
}

let loader: ChildProcess | undefined;

/** Runs one load at a time. The process is reused, since its code is slow until V8 has compiled it. */
export async function runLoad(load: Load): Promise<LoadResult> {
  loader ??= fork(inProject('scripts/bench/lib/loader.ts'), { execArgv: ['--import', 'tsx'] });
  loader.ref();
  loader.channel?.ref();
  loader.send(load);
  const [{ failures, ...result }] = (await once(loader, 'message')) as [LoadReport];
  loader.unref();
  loader.channel?.unref();
  if (failures > 0) throw new Failure(`${failures} of the requests to ${load.url} failed.`);
  return result;
}
