/** The SDK and the service together: a cancelled call stops the model, and a lost response causes no second effect. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  agentHosting,
  type ClientOptions,
  RateLimitedError,
  UpstreamError,
  withMiddleware,
} from '../../client/src/index.js';
import { eventually } from '../helpers/eventually.js';
import { startTestService, type Tenant, type TestService } from '../helpers/service/service.js';
import { hang, status } from '../helpers/model-provider/failures.js';
import { type ModelProvider, startModelProvider } from '../helpers/model-provider/provider.js';
import { checkAfterEachTest } from '../helpers/model-provider/use-model-provider.js';
import { answerLater, chatCompletions, stall } from '../helpers/model-provider/wire-formats.js';

let model: ModelProvider;
let service: TestService;
let tenant: Tenant;
checkAfterEachTest(() => model);

beforeAll(async () => {
  model = await startModelProvider();
  service = await startTestService({ LOCAL_BASE_URL: `${model.url}/v1` });
  tenant = await service.tenant();
});

afterAll(async () => {
  await service.stop();
  await model.stop();
});

const clientOf = ({ key }: Tenant, options: ClientOptions = {}) =>
  agentHosting({ apiKey: key, baseUrl: service.url, ...options });

const newAgent = () => tenant.newAgent({ model: 'local/llama3.2' });

/** The model call was aborted, and the service logged why. */
async function expectCancelled(agent: string): Promise<void> {
  await eventually(async () => {
    expect(model.received.map((request) => request.wasAborted())).toEqual([true]);
    const { data } = await clientOf(tenant).logs.list(agent, { limit: 5 }).page();
    expect(data.map(({ message }) => message).join('\n')).toMatch(/disconnected|cancelled/);
  });
}

describe('Cancelling', () => {
  test('a stream by break stops the model', async () => {
    model.behave(stall(chatCompletions, ['Let ', 'me ', 'think ']));
    const { id } = await newAgent();
    const stream = clientOf(tenant).agents.invoke(id, { message: 'Hello' }, { stream: true });
    for await (const { text } of stream) {
      expect(text).toBe('Let ');
      break;
    }
    await expectCancelled(id);
  });

  test('a plain call by its signal stops the model', async () => {
    model.behave(hang);
    const { id } = await newAgent();
    const controller = new AbortController();
    const { signal } = controller;
    const call = clientOf(tenant).agents.invoke(id, { message: 'Hello' }, { signal });
    await eventually(() => {
      expect(model.received).toHaveLength(1);
    });
    controller.abort();
    await expect(call).rejects.toHaveProperty('name', 'AbortError');
    await expectCancelled(id);
  });
});

describe('A lost response', () => {
  test('is requested again, and the call takes effect once', async () => {
    const { id } = await tenant.newAgent();
    const client = clientOf(tenant, { fetch: losingFirstResponse() });
    const created = await client.deployments.create(id, { environment: 'test', version: '1' });
    expect(created).toMatchObject({ version: '1', status: 'active' });
    const { pagination } = await client.deployments.list(id).page();
    expect(pagination.total).toBe(1);
  });
});

function losingFirstResponse(): typeof fetch {
  let requests = 0;
  return withMiddleware(async (request, next) => {
    const response = await next(request);
    requests += 1;
    if (requests > 1) return response;
    await response.arrayBuffer();
    throw new TypeError('fetch failed');
  });
}

describe('The result of an asynchronous invocation', () => {
  test('arrives when the model is done, and can be requested by its key later', async () => {
    const { reply, finish } = answerLater(chatCompletions, ['All ', 'done']);
    model.behave(reply);
    const { id } = await newAgent();
    const { agents } = clientOf(tenant);
    const job = agents.invokeAsync(id, { message: 'Hello' });
    expect(await job).toEqual({ request_id: expect.stringMatching(/^req_/) });
    const { idempotencyKey } = job;
    const again = await agents.invokeAsync(id, { message: 'Hello' }, { idempotencyKey });
    expect(again).toEqual(await job);
    const result = job.result();
    await model.asked(1);
    finish();
    expect(await result).toMatchObject({ response: 'All done', ...(await job) });
    expect(await agents.invokeAsync(id, { message: 'Hello' }, { idempotencyKey })).toEqual(
      await result,
    );
    expect(model.received).toHaveLength(1);
  });

  test('is the stored error of a failed invocation, which is requested once', async () => {
    model.behave(status(500));
    const { id } = await newAgent();
    let failures = 0;
    const fetch = withMiddleware(async (request, next) => {
      const response = await next(request);
      if (!response.ok) failures += 1;
      return response;
    });
    const job = clientOf(tenant, { fetch }).agents.invokeAsync(id, { message: 'Hello' });
    await expect(job.result()).rejects.toThrow(UpstreamError);
    expect(failures).toBe(1);
  });
});

describe('An error of the live service', () => {
  test('has the request id under which its log entries are found', async () => {
    model.behave(status(500));
    const { id } = await newAgent();
    const client = clientOf(tenant, { maxRetries: 0 });
    const error: unknown = await client.agents
      .invoke(id, { message: 'Hello' })
      .catch((reason: unknown) => reason);
    if (!(error instanceof UpstreamError)) throw error;
    const { data } = await client.logs.list(id, { request_id: String(error.requestId) }).page();
    expect(data.map(({ level }) => level)).toContain('error');
  });

  test('for too many requests says when to retry, and a client with retries does so', async () => {
    const limited = await service.tenant({ tier: 'free' });
    const client = clientOf(limited, { maxRetries: 0 });
    const exceedLimit = async () => {
      // Far more than the burst of that tier.
      for (let count = 0; count < 500; count += 1) await client.agents.list().page();
    };
    const error: unknown = await exceedLimit().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ status: 429, code: 'rate_limited', retryAfter: 1 });
    await clientOf(limited).agents.list().page();
  });
});
