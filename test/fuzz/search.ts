/** Searches for a request with a wrong response, and shrinks it. */
import fc from 'fast-check';
import { curlLine } from './http.js';
import { Mismatch } from './mismatch.js';
import type { Runner } from './send.js';

export interface Failure {
  operationId: string;
  /** The kind of case: valid requests, a violated keyword, or a sequence. */
  kind: string;
  seed: number;
  /** The number of cases until it was found. */
  cases: number;
  pointer: string;
  message: string;
  /** The shrunk requests; the last one failed. */
  curl: string[];
}

export interface SearchOptions<Value> {
  kind: string;
  values: fc.Arbitrary<Value>;
  runs: number;
  seed: number;
  url: string;
  /** A runner to try the value with. */
  runner: () => Promise<Runner> | Runner;
  act: (runner: Runner, value: Value) => Promise<void>;
}

/** Shrinking stops after this many attempts; the result is short enough to read. */
const maxShrinks = 200;

export interface SearchResult {
  /** The requests sent before the failure. */
  requests: number;
  failure: Failure | undefined;
}

export async function search<Value>(options: SearchOptions<Value>): Promise<SearchResult> {
  const { kind, values, runs, url } = options;
  const seed = seedFor(options.seed, kind);
  let cases = 0;
  let requests = 0;
  let shrinks = 0;
  let failure: Failure | undefined;
  const property = fc.asyncProperty(values, async (value) => {
    if (failure) {
      shrinks += 1;
      if (shrinks > maxShrinks) return;
    } else {
      cases += 1;
    }
    const runner = await options.runner();
    try {
      await options.act(runner, value);
    } catch (error) {
      const found = { ...describe(runner, error, url), kind, seed: options.seed, cases };
      // The failure may have left the model outdated, so only the same problem counts as a smaller form of it.
      if (failure && !isSameProblem(failure, found)) return;
      failure = found;
      throw error;
    } finally {
      if (shrinks === 0) requests += runner.sentRequests.length;
    }
  });
  await fc.check(property, { numRuns: runs, seed, verbose: fc.VerbosityLevel.None });
  return { requests, failure };
}

function isSameProblem(one: Failure, other: Failure): boolean {
  return one.operationId === other.operationId && one.pointer === other.pointer;
}

function describe({ sentRequests, account }: Runner, error: unknown, url: string) {
  const last = sentRequests.at(-1)?.request;
  return {
    operationId: last?.operation.operationId ?? 'none',
    pointer: error instanceof Mismatch ? error.pointer : (last?.operation.pointer ?? '#'),
    message:
      error instanceof Mismatch
        ? error.message
        : String(error instanceof Error ? error.stack : error),
    curl: sentRequests.map(({ request }) => curlLine(url, request, account.main.key ?? '')),
  };
}

/** Each search has its own random numbers, so that adding one changes no other. */
function seedFor(seed: number, kind: string): number {
  let mixed = seed | 0;
  for (const character of kind)
    mixed = (Math.imul(mixed, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return mixed;
}

export function reportOf({
  operationId,
  kind,
  seed,
  cases,
  pointer,
  message,
  curl,
}: Failure): string {
  return [
    `${operationId} went wrong (${kind}; case ${cases} of seed ${seed}).`,
    message,
    `The contract: ${pointer}`,
    ...curl,
  ].join('\n  ');
}
