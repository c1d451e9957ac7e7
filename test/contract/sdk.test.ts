/** Every operation through the SDK, against the live service, with Prism validating both against the contract. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type AgentHosting,
  agentHosting,
  ApiError,
  type ClientOptions,
  withMiddleware,
} from '../../client/src/index.js';
import { type OperationId, operations } from '../../generated/operations.js';
import { startValidationProxy, type ValidationProxy } from './validation-proxy.js';
import { startTestService, type Tenant, type TestService } from '../helpers/service/service.js';
import type { Case, CaseSetup } from './sdk/case.js';
import { sdkCases } from './sdk/cases.js';

let service: TestService;
let tenant: Tenant;
let strict: ValidationProxy;
let lenient: ValidationProxy;

interface Exchange {
  method: string;
  path: string;
  status: number;
  violations: string | null;
}

beforeAll(async () => {
  service = await startTestService({ ALLOW_PRIVATE_TARGETS: 'true' });
  tenant = await service.tenant();
  strict = await startValidationProxy(service.url);
  lenient = await startValidationProxy(service.url, { validateRequest: false });
});

afterAll(async () => {
  await strict.close();
  await lenient.close();
  await service.stop();
});

/** A client that calls through Prism, and its exchanges. */
function recordingClient(options: ClientOptions): { client: AgentHosting; exchanges: Exchange[] } {
  const exchanges: Exchange[] = [];
  const fetch = withMiddleware(async (request, next) => {
    const response = await next(request);
    exchanges.push({
      method: request.method.toLowerCase(),
      path: new URL(request.url).pathname,
      status: response.status,
      violations: response.headers.get('sl-violations'),
    });
    return response;
  });
  return { client: agentHosting({ maxRetries: 0, ...options, fetch }), exchanges };
}

/** The operation of the contract that a request was sent to. */
function operationOf({ method, path }: Exchange) {
  return Object.values(operations).find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
}

function isDocumented(exchange: Exchange): boolean {
  const statuses: readonly number[] = operationOf(exchange)?.statuses ?? [];
  return statuses.includes(exchange.status);
}

async function statusOf(work: Promise<unknown>): Promise<number | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

async function runCase({ status, isInvalid = false, key, call }: Case): Promise<Exchange[]> {
  const apiKey = key === undefined ? tenant.key : await key(tenant);
  const baseUrl = (isInvalid ? lenient : strict).url;
  const { client, exchanges } = recordingClient({ apiKey, baseUrl });
  const setup: CaseSetup = {
    tenant,
    setUp: agentHosting({ apiKey: tenant.key, baseUrl: service.url }),
  };
  expect(await statusOf(call(client, setup))).toBe(status < 400 ? undefined : status);
  return exchanges;
}

const cases = Object.entries(sdkCases).flatMap(([operationId, own]) =>
  own.map((one) => ({ operationId: operationId as OperationId, ...one })),
);

describe('the SDK against the live service', () => {
  test.each(cases)('$operationId responds with $status: $name', async (one) => {
    const exchanges = await runCase(one);
    expect(exchanges.filter(({ violations }) => violations !== null)).toEqual([]);
    expect(exchanges.filter((exchange) => !isDocumented(exchange))).toEqual([]);
    const last = exchanges.at(-1);
    expect(last?.status).toBe(one.status);
    expect(last && operationOf(last)).toBe(operations[one.operationId]);
  });

  test('calls every operation of the contract successfully', () => {
    const called = cases.filter(({ status }) => status < 300).map(({ operationId }) => operationId);
    expect([...new Set(called)].sort()).toEqual(Object.keys(operations).sort());
  });

  test('detects a response that violates the contract', async () => {
    const { client, exchanges } = recordingClient({ apiKey: tenant.key, baseUrl: strict.url });
    const { id } = await tenant.newAgent();
    await service.database.prisma.agent.update({ where: { id }, data: { temperature: 7 } });
    await client.agents.get(id);
    expect(exchanges[0]?.violations).toContain('temperature');
  });
});
