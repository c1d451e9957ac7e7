/** Runs cases in environments, several at a time. */
import {
  type AgentHosting,
  ForbiddenError,
  type InvocationRequest,
  NotFoundError,
  UnauthorizedError,
} from '../../src/index.js';
import { oneLine } from '../text.js';
import type { Case } from './case-file.js';
import { problemsOf } from './expectations.js';

/** What came of a case in an environment. */
export interface CaseResult {
  environment: string;
  passed: boolean;
  /** What is wrong with the answer, or why there is none. */
  problems: string[];
  /** Null without an answer, and so are the next ones. */
  response: string | null;
  duration_ms: number | null;
  tokens_used: number | null;
  request_id: string | null;
}

export interface CaseResults {
  name: string;
  /** In the order of the environments. */
  results: CaseResult[];
}

interface Evaluation {
  client: AgentHosting;
  agent: string;
  cases: readonly Case[];
  environments: readonly string[];
  concurrency: number;
  signal: AbortSignal;
  /** Called after each result. */
  onResult: (result: CaseResult) => void;
}

/** Rejects with an error that every further request would get too. */
export async function runCases({
  cases,
  environments,
  concurrency,
  signal,
  onResult,
  ...target
}: Evaluation): Promise<CaseResults[]> {
  const stop = new AbortController();
  const work = cases.flatMap((one) => environments.map((environment) => ({ one, environment })));
  const results = new Map<(typeof work)[number], CaseResult>();
  // All take their work from the same list.
  const queue = work.values();
  const runSome = async () => {
    for (const item of queue) {
      const either = AbortSignal.any([signal, stop.signal]);
      either.throwIfAborted();
      const result = await runCase({ ...target, signal: either, ...item });
      results.set(item, result);
      onResult(result);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, runSome));
  } catch (error) {
    stop.abort(error);
    throw error;
  }
  return cases.map((one) => ({
    name: one.name,
    results: work.flatMap((item) => (item.one === one ? (results.get(item) ?? []) : [])),
  }));
}

interface CaseRun extends Pick<Evaluation, 'client' | 'agent' | 'signal'> {
  one: Case;
  environment: string;
}

async function runCase({
  client: { agents },
  agent,
  signal,
  one,
  environment,
}: CaseRun): Promise<CaseResult> {
  const { message, context, expect } = one;
  const body: InvocationRequest = {
    message,
    environment,
    context: { remember: false, ...context },
  };
  const idempotencyKey = crypto.randomUUID();
  try {
    const result = await agents.invoke(agent, body, { signal, idempotencyKey });
    const { response, duration_ms, tokens_used, request_id } = result;
    const answered = { environment, response, duration_ms, tokens_used, request_id };
    if (result.status === 'requires_approval') {
      // Otherwise somebody could approve a call that nobody needs any more.
      await agents.cancel(agent, body, { idempotencyKey }).catch(() => undefined);
      const tools = result.approvals.map(({ tool }) => tool).join(', ');
      return { ...answered, passed: false, problems: [`waits for approval of ${tools}`] };
    }
    const problems = problemsOf(response, expect);
    return { ...answered, passed: problems.length === 0, problems };
  } catch (error) {
    signal.throwIfAborted();
    if (endsAll.some((type) => error instanceof type)) throw error;
    const text = error instanceof Error ? error.message : String(error);
    const none = { response: null, duration_ms: null, tokens_used: null, request_id: null };
    return { environment, passed: false, problems: [`failed: ${oneLine(text)}`], ...none };
  }
}

/** The key, the agent or an environment is wrong. */
const endsAll = [UnauthorizedError, ForbiddenError, NotFoundError];
