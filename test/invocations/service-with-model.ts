/** A service with a model provider, and queries for everything that an invocation records. */
import { beforeEach } from '@jest/globals';
import type { AgentCompletedEvent, AgentFailedEvent } from '../../generated/api.js';
import { type Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import {
  type Environment,
  startTestService,
  type Tenant,
  type TestService,
} from '../helpers/service/service.js';
import { checkAfterEachTest } from '../helpers/model-provider/use-model-provider.js';
import { type ModelProvider, startModelProvider } from '../helpers/model-provider/provider.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';

export interface ServiceWithModel {
  service: TestService;
  provider: ModelProvider;
  tenant: Tenant;
  /** An agent that calls the provider through chat completions. */
  newAgent: (agent?: NewAgent) => Promise<{ id: string; name: string }>;
  stop: () => Promise<void>;
}

export type NewAgent = NonNullable<Parameters<Tenant['newAgent']>[0]>;

/** A fixture for the tests of the file. Before each test the provider is set to answer "On its way.". */
export function useServiceWithModel(
  environment: Environment | (() => Environment) = {},
): ServiceWithModel {
  const fixture = useFixture(
    () => startServiceWithModel(typeof environment === 'function' ? environment() : environment),
    ({ stop }) => stop(),
  );
  checkAfterEachTest(() => fixture.provider);
  beforeEach(() => {
    fixture.provider.behave(answer(chatCompletions, ['On ', 'its way.']));
  });
  return fixture;
}

export async function startServiceWithModel(
  environment: Environment = {},
): Promise<ServiceWithModel> {
  const provider = await startModelProvider();
  const service = await startTestService({
    LOCAL_BASE_URL: `${provider.url}/v1`,
    ALLOW_PRIVATE_TARGETS: 'true',
    // Deliveries are not tested here.
    WORKER: 'off',
    ...environment,
  });
  const tenant = await service.tenant();
  return {
    service,
    provider,
    tenant,
    newAgent: (agent) => tenant.newAgent({ model: 'local/llama3.2', ...agent }),
    stop: async () => {
      await provider.stop();
      await service.stop();
    },
  };
}

export function message(agent_id: string, text: string, call: Partial<Call> = {}): Call {
  return { path: { agent_id }, body: { message: text }, ...call };
}

export function messageIn(session_id: string, agent_id: string, text: string): Call {
  return { path: { agent_id }, body: { message: text, context: { session_id } } };
}

/** The number of the agent's invocations and memory entries. */
export async function effectsOn({ database: { prisma } }: TestService, agentId: string) {
  const where = { agentId };
  const [invocations, memories] = await Promise.all([
    prisma.invocation.count({ where }),
    prisma.memoryEntry.count({ where }),
  ]);
  return { invocations, memories };
}

/** All database records of a request. */
export async function recordsOf({ database: { prisma } }: TestService, requestId: string) {
  // In one snapshot, so that a concurrent commit is seen completely or not at all.
  const [invocation, logs, memory, events, deliveries] = await prisma.$transaction(
    [
      prisma.invocation.findFirst({ where: { id: requestId } }),
      prisma.logEntry.findMany({
        where: { requestId },
        orderBy: [{ loggedAt: 'asc' }, { id: 'asc' }],
      }),
      prisma.memoryEntry.findMany({ where: { requestId }, orderBy: { id: 'asc' } }),
      prisma.event.findMany({ where: { requestId } }),
      prisma.delivery.findMany(),
    ],
    { isolationLevel: 'RepeatableRead' },
  );
  return {
    invocation,
    logs: logs.map(({ level, message: text, metadata }) => ({ level, message: text, metadata })),
    memory: memory.map(({ role, content, sessionId, userId }) => ({
      role,
      content,
      sessionId,
      userId,
    })),
    events: events.map(({ id, type, body }) => ({
      type,
      body: JSON.parse(Buffer.from(body).toString()) as AgentCompletedEvent | AgentFailedEvent,
      deliveredTo: deliveries
        .filter(({ eventId }) => eventId === id)
        .map(({ webhookId }) => webhookId),
    })),
  };
}

/** The records of a request, once it has finished. */
export async function recordsOnceFinished(service: TestService, requestId: string) {
  const { invocation } = service.database.prisma;
  await eventually(async () => {
    const found = await invocation.findFirst({ where: { id: requestId } });
    if (!found?.finishedAt) throw new Error(`${requestId} has not finished.`);
  });
  return recordsOf(service, requestId);
}

/** The usage counted for an agent. */
export async function countsOf({ database: { prisma } }: TestService, agentId: string) {
  const fields = {
    invocations: true,
    failures: true,
    durationMs: true,
    tokens: true,
    logsDebug: true,
    logsInfo: true,
    logsWarn: true,
    logsError: true,
  } as const;
  // In one snapshot, since counts that are folded in between would be seen twice.
  const [fresh, folded] = await prisma.$transaction(
    [
      prisma.usageDelta.aggregate({ where: { agentId }, _sum: fields }),
      prisma.usageRollup.aggregate({ where: { agentId, bucketSeconds: 60 }, _sum: fields }),
    ],
    { isolationLevel: 'RepeatableRead' },
  );
  return Object.fromEntries(
    Object.keys(fields).map((name) => {
      const field = name as keyof typeof fields;
      return [field, Number(fresh._sum[field] ?? 0) + Number(folded._sum[field] ?? 0)];
    }),
  ) as Record<keyof typeof fields, number>;
}
