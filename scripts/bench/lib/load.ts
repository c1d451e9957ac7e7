/** Puts load on a server with autocannon, in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Failure } from '../../lib/failure.js';
import { inProject } from '../../lib/project.js';

export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON. `[<id>]` in a header or in the body is replaced by a unique id if the load says so. */
  body?: object;
}

/** So many requests in all, or as many as can be sent in that time. */
export type Load = Sending & ({ requests: number } | { seconds: number });

interface Sending {
  url: string;
  connections: number;
  /** Each connection sends them in turn. */
  send: LoadRequest[];
  /** Whether each request has an id of its own, or each connection the same one for ten requests. */
  ids?: 'each' | 'tens';
}

export interface LoadResult {
  requests: number;
  perSecond: number;
  /** Percentiles of the time of a request, in milliseconds. */
  p50: number;
  p99: number;
}

export interface LoadReport extends LoadResult {
  /** How many responses had a status other than 2xx, or did not come. */
  failures: number;
}

let loader: ChildProcess | undefined;

/** One load at a time. The process stays for the next one, since its code is slow until V8 has compiled it. */
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
