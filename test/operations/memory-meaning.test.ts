/** Searching memory by meaning, with a real server that speaks the embeddings protocol. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type EmbeddingServer, startEmbeddingServer } from '../helpers/embedding-server.js';
import { remember, type Said } from '../helpers/memory.js';
import { startTestService, type Tenant, type TestService } from '../helpers/service.js';

let embeddings: EmbeddingServer;
let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  embeddings = await startEmbeddingServer({
    money: ['refund', 'invoice', 'reimburse', 'payment'],
    weather: ['rain', 'sunshine', 'storm'],
  });
  service = await startTestService({
    EMBEDDING_MODEL: 'local/tiny-embedder',
    LOCAL_BASE_URL: embeddings.url,
    LOCAL_API_KEY: 'embedder-key',
  });
  tenant = await service.tenant();
});

afterEach(() => {
  embeddings.misbehave(undefined);
});

afterAll(async () => {
  await service.stop();
  await embeddings.stop();
});

async function agentThatHeard(...turns: Said[]): Promise<string> {
  const { id } = await tenant.newAgent();
  await remember(service.database, { ...tenant, agentId: id }, turns);
  return id;
}

function embedded(agentId: string): Promise<number> {
  return service.database.prisma.memoryEmbedding.count({ where: { entry: { agentId } } });
}

async function untilEmbedded(agentId: string, entries: number): Promise<void> {
  while ((await embedded(agentId)) < entries) await delay(50);
}

async function found(agent_id: string, body: Record<string, unknown>): Promise<string[]> {
  const { data } = await tenant.api.expect('searchMemory', 200, { path: { agent_id }, body });
  const scores = data.map(({ score }) => score);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  return data.map(({ content }) => content);
}

describe('With an embedding model', () => {
  test('an invocation is embedded in the background and found by its meaning', async () => {
    const { id } = await tenant.newAgent();
    await tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: id },
      body: { message: 'I want to be reimbursed' },
    });
    await untilEmbedded(id, 2);
    expect(await found(id, { query: 'refund' })).toHaveLength(2);
    expect(embeddings.authorizations.at(-1)).toBe('Bearer embedder-key');
  });

  test('what fits by words and by meaning comes before what fits by one of them', async () => {
    const id = await agentThatHeard(
      { content: 'storm and rain all day' },
      { content: 'the payment was late' },
      { content: 'my refund, the payment, has not come' },
      { content: 'green vegetables' },
    );
    await untilEmbedded(id, 4);
    const contents = await found(id, { query: 'refund' });
    expect(contents.slice(0, 2)).toEqual([
      'my refund, the payment, has not come',
      'the payment was late',
    ]);
  });

  test('the filter holds for meaning too', async () => {
    const id = await agentThatHeard(
      { content: 'the invoice is wrong', userId: 'anna', sessionId: 's1' },
      { content: 'the payment is late', userId: 'ben', sessionId: 's2' },
    );
    await untilEmbedded(id, 2);
    expect(await found(id, { query: 'refund', filter: { user_id: 'ben' } })).toEqual([
      'the payment is late',
    ]);
    expect(await found(id, { query: 'refund', filter: { session_id: 's1' } })).toEqual([
      'the invoice is wrong',
    ]);
  });

  test.each([500, 429, 401, 'hang'] as const)(
    'while the model answers with %s, words alone find what they find',
    async (how) => {
      const id = await agentThatHeard({ content: 'my refund' }, { content: 'the payment' });
      await untilEmbedded(id, 2);
      embeddings.misbehave(how);
      expect(await found(id, { query: 'refund' })).toEqual(['my refund']);
      expect(service.log.join('')).toContain('fell back to full-text search');
    },
  );

  test('entries that the model could not take at once are embedded once it can', async () => {
    embeddings.misbehave(503);
    const id = await agentThatHeard({ content: 'the payment' });
    const asked = embeddings.requests.length;
    while (embeddings.requests.length < asked + 2) await delay(50);
    expect(await embedded(id)).toBe(0);
    embeddings.misbehave(undefined);
    await untilEmbedded(id, 1);
  });

  test('a text that the model refuses keeps no other from being embedded', async () => {
    embeddings.misbehave({ refuses: 'cursed' });
    const id = await agentThatHeard(
      { content: 'the payment' },
      { content: 'a cursed text' },
      { content: 'the invoice' },
    );
    await untilEmbedded(id, 2);
    expect(await found(id, { query: 'invoice' })).toContain('the payment');
  });

  test('another instance, or a restart, does not embed anything again', async () => {
    const id = await agentThatHeard({ content: 'a quite unique payment' });
    await untilEmbedded(id, 1);
    const other = await service.another();
    const again = await agentThatHeard({ content: 'another payment' });
    await untilEmbedded(again, 1);
    await other.stop();
    const times = embeddings.requests.flat().filter((text) => text === 'a quite unique payment');
    expect(times).toHaveLength(1);
  });

  test('another model starts anew, and vectors of the old one are not compared with', async () => {
    const id = await agentThatHeard({ content: 'the payment of old' });
    await untilEmbedded(id, 1);
    const other = await service.another({ EMBEDDING_MODEL: 'local/another-embedder' });
    const modelOf = async () =>
      (
        await service.database.prisma.memoryEmbedding.findFirst({
          where: { entry: { agentId: id } },
        })
      )?.model;
    while ((await modelOf()) !== 'local/another-embedder') await delay(50);
    await other.stop();
  });

  test('clearing the memory forgets the meaning as well', async () => {
    const id = await agentThatHeard({ content: 'the payment' });
    await untilEmbedded(id, 1);
    await tenant.api.expect('clearMemory', 200, { path: { agent_id: id } });
    expect(await embedded(id)).toBe(0);
    expect(await found(id, { query: 'refund' })).toEqual([]);
  });
});
