/** Random runs with tools on two instances, which are killed, stopped, cut off from their clients and left without a database. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Invocation } from '../../generated/api.js';
import { freePort } from '../../server/lib/net/free-port.js';
import { eventually } from '../helpers/eventually.js';
import { type CuttingProxy, startCuttingProxy } from '../helpers/servers/cutting-proxy.js';
import { type Proxy, proxyTo } from '../helpers/servers/database-proxy.js';
import type { Call } from '../helpers/service/api.js';
import {
  type Environment,
  environmentFor,
  startTestService,
  type Tenant,
  type TestService,
} from '../helpers/service/service.js';
import { ask, type Ending, isDisconnection, isError } from '../invocations/random/client.js';
import type { Way } from '../invocations/random/plans.js';
import { createInstances, type Instances } from './instances.js';
import { type Fate, type PlannedRun, startWorkshop, toolNames, type Workshop } from './workshop.js';

interface PlannedInvocation {
  run: PlannedRun;
  way: Way;
  isInSession: boolean;
}

interface PlannedFault {
  /** `hang`: the instance's database. `cut`: the connections of all clients. */
  kind: 'SIGKILL' | 'SIGTERM' | 'hang' | 'cut';
  instance: 0 | 1;
  /** It comes after this many requests to the model and calls of tools, counted from the one before. */
  after: number;
  /** How long the database hangs. The leases of keys expire after 6 s. */
  ms: number;
}

interface RunsPlan {
  /** All at the same time. */
  invocations: PlannedInvocation[];
  faults: PlannedFault[];
}

const reply = fc.array(
  fc.oneof(
    { arbitrary: fc.constantFrom(...toolNames.slice(0, 3)), weight: 20 },
    { arbitrary: fc.constantFrom(...toolNames), weight: 1 },
  ),
  { minLength: 1, maxLength: 3 },
);

const invocation: fc.Arbitrary<PlannedInvocation> = fc.record({
  run: fc.record({
    steps: fc.array(reply, { minLength: 1, maxLength: 20, size: 'max' }),
    fate: fc.constantFrom<Fate>('approve', 'reject', 'expire'),
    pauseMs: fc.integer({ min: 0, max: 40 }),
  }),
  way: fc.constantFrom<Way>('plain', 'stream', 'async'),
  isInSession: fc.boolean(),
});

export const runsPlans: fc.Arbitrary<RunsPlan> = fc.record({
  invocations: fc.array(invocation, { minLength: 3, maxLength: 6, size: 'max' }),
  faults: fc.array(
    fc.record({
      kind: fc.constantFrom('SIGKILL', 'SIGTERM', 'hang', 'cut'),
      instance: fc.constantFrom(0, 1),
      after: fc.integer({ min: 1, max: 60 }),
      ms: fc.integer({ min: 200, max: 8_000 }),
    }),
    { minLength: 1, maxLength: 5, size: 'max' },
  ),
});

export interface RunsStage {
  /** Runs nothing itself. */
  observer: TestService;
  tenant: Tenant;
  agentId: string;
  workshop: Workshop;
  instances: Instances;
  databases: readonly [Proxy, Proxy];
  front: CuttingProxy;
  stop: () => Promise<void>;
}

export async function startRunsStage(environment: Environment = {}): Promise<RunsStage> {
  const workshop = await startWorkshop();
  const observer = await startTestService({ ASYNC_CONCURRENCY: '0', WORKER: 'off' });
  const tenant = await observer.tenant();
  const { id: agentId } = await tenant.newAgent(workshop.agent);
  const databases = [
    await proxyTo(observer.databaseUrl),
    await proxyTo(observer.databaseUrl),
  ] as const;
  const ports = [await freePort(), await freePort()];
  const instances = createInstances(
    databases.map(({ url }, index) => ({
      ...environmentFor({ databaseUrl: url }),
      ...workshop.environment,
      PORT: String(ports[index]),
      LOG_LEVEL: 'fatal',
      WORKER: 'off',
      ...environment,
    })),
  );
  await Promise.all(instances.all.map((instance) => instance.start()));
  const targets = ports.map((port) => `http://127.0.0.1:${port}`);
  const front = await startCuttingProxy({ targets, bytesUntilCut: () => Infinity });
  return {
    ...{ observer, tenant, agentId, workshop, instances, databases, front },
    stop: async () => {
      await front.stop();
      await instances.stop();
      await Promise.all(databases.map((proxy) => proxy.close()));
      await observer.stop();
      await workshop.stop();
    },
  };
}

/** Rejects if an effect happens twice, a committed step is lost, or a run does not end. */
export async function playRuns(stage: RunsStage, { invocations, faults }: RunsPlan): Promise<void> {
  const { workshop, instances } = stage;
  let isOver = false;
  const hasCut = faults.some(({ kind }) => kind === 'cut');
  const playing = invocations.map((planned) => playRun(stage, planned, hasCut));
  const striking = strikeAll(stage, faults, () => isOver);
  await Promise.allSettled(playing);
  isOver = true;
  await striking;
  await Promise.all(playing);
  await untilNothingIsLeft(stage);
  expect({ violations: workshop.takeViolations(), ended: instances.ended.splice(0) }).toEqual({
    violations: [],
    ended: [],
  });
}

async function strikeAll(
  stage: RunsStage,
  faults: readonly PlannedFault[],
  isOver: () => boolean,
): Promise<void> {
  /** Of each instance: what it must recover from before the next fault. */
  const recovering = [Promise.resolve(), Promise.resolve()];
  for (const fault of faults) {
    const at = stage.workshop.arrivals() + fault.after;
    while (stage.workshop.arrivals() < at && !isOver()) await delay(1);
    if (isOver()) break;
    await recovering[fault.instance];
    recovering[fault.instance] = strike(stage, fault);
  }
  await Promise.all(recovering);
}

async function strike(
  { instances, databases, front }: RunsStage,
  { kind, instance: index, ms }: PlannedFault,
): Promise<void> {
  if (kind === 'cut') {
    front.cutAll();
  } else if (kind === 'hang') {
    databases[index].freeze();
    await delay(ms);
    databases[index].thaw();
  } else {
    const instance = instances.all[index];
    await instance?.end(kind);
    await instance?.start();
  }
}

async function playRun(
  stage: RunsStage,
  { run: planned, way, isInSession }: PlannedInvocation,
  hasCut: boolean,
): Promise<void> {
  const run = stage.workshop.open(planned);
  const context = isInSession ? { context: { user_id: 'ada', session_id: run.id } } : {};
  let result = await settled(stage, way, { message: run.message, ...context });
  while (isPaused(result)) {
    const { request_id, approvals = [] } = result;
    const { fate } = planned;
    if (fate === 'expire') await expire(stage, request_id);
    const decisions = approvals.map(({ call_id }) => ({
      call_id,
      decision: fate === 'approve' ? 'approve' : 'reject',
    }));
    result = await settled(stage, way, { message: 'Go on.', resume: { request_id, decisions } });
    if (fate === 'expire') {
      expect(result).toMatchObject({ code: 'conflict' });
      return;
    }
  }
  if (!isError(result)) run.finish(result.response);
  else {
    // Without its client, a plain or streamed run ends, unless it is continued in time.
    const isCut = hasCut && way !== 'async' && result.message.includes('disconnected');
    expect({ way, isCut, result }).toMatchObject({ isCut: true, result: { retryable: false } });
  }
}

const isPaused = (
  result: Ending['result'],
): result is Invocation & { status: 'requires_approval' } =>
  !isError(result) && result.status === 'requires_approval';

async function expire({ observer }: RunsStage, requestId: string): Promise<void> {
  const { pausedRun } = observer.database.prisma;
  await pausedRun.updateMany({ where: { requestId }, data: { expiresAt: new Date(0) } });
}

/** Repeats a request with its key, as the SDK does, until it has its result. */
export async function settled(
  { front, tenant, agentId }: RunsStage,
  way: Way,
  body: object,
): Promise<Ending['result']> {
  const to = { url: () => front.url, key: tenant.key };
  const key = { 'idempotency-key': randomUUID() };
  const headers = way === 'async' ? { ...key, prefer: 'respond-async' } : key;
  const call: Call = { path: { agent_id: agentId }, headers, body };
  const deadline = performance.now() + 120_000;
  for (;;) {
    const signal = AbortSignal.timeout(120_000);
    const answer = await ask(to, way, { ...call, signal }).catch((error: unknown) => {
      if (isDisconnection(error)) return 'lost' as const;
      throw error;
    });
    if (typeof answer === 'object' && !(isError(answer) && mayBeRepeated(answer))) return answer;
    if (performance.now() > deadline) {
      throw new Error(`It never ended: ${JSON.stringify({ way, body, answer })}`);
    }
    await delay(100);
  }
}

type ErrorDetail = Extract<Ending['result'], { code: unknown }>;

const mayBeRepeated = ({ code, retryable, retry_after: retryAfter }: ErrorDetail) =>
  retryable !== false &&
  (code === 'unavailable' || (code === 'conflict' && retryAfter !== undefined));

/** Those that expire are closed within some seconds. */
async function untilNothingIsLeft({ observer }: RunsStage): Promise<void> {
  const { invocation: invocations, runStep, pausedRun } = observer.database.prisma;
  await eventually(async () => {
    const left = {
      running: await invocations.count({ where: { finishedAt: null } }),
      paused: await pausedRun.count(),
      steps: await runStep.count(),
    };
    expect(left).toEqual({ running: 0, paused: 0, steps: 0 });
  }, 60_000);
}
