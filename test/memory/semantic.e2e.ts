/** Semantic memory search, with a real server for the embeddings protocol. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { startEmbeddingServer } from './embedding-server.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { agentWithMemory, type NewMemory } from './filled-memory.js';
import { purgeAll } from '../helpers/database/purging.js';
import { useService, useTenant } from '../helpers/service/service.js';

const topics = {
  money: ['refund', 'invoice', 'reimburse', 'payment'],
  weather: ['rain', 'sunshine', 'storm'],
};

const embeddings = useFixture(
  () => startEmbeddingServer(topics),
  ({ stop }) => stop(),
);
const service = useService(() => ({
  EMBEDDING_MODEL: 'local/tiny-embedder',
  LOCAL_BASE_URL: embeddings.url,
  LOCAL_API_KEY: 'embedder-key',
}));
const tenant = useTenant(service);

afterEach(() => {
  embeddings.misbehave(undefined);
});

const agentWith = (...messages: NewMemory[]) => agentWithMemory(service.database, tenant, messages);

function embedded(agentId: string): Promise<number> {
  return service.database.prisma.memoryEmbedding.count({ where: { agentId } });
}

const untilEmbedded = (agentId: string, entries: number) =>
  eventually(async () => {
    expect(await embedded(agentId)).toBe(entries);
  }, 60_000);

async function found(agent_id: string, body: Record<string, unknown>): Promise<string[]> {
  const { data } = await tenant.api.expect('searchMemory', 200, { path: { agent_id }, body });
  const scores = data.map(({ score }) => score);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  return data.map(({ content }) => content);
}

describe('With an embedding model', () => {
  test('an invocation is embedded in the background and found by different words', async () => {
    const { id } = await tenant.newAgent();
    await tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: id },
      body: { message: 'I want to be reimbursed' },
    });
    await untilEmbedded(id, 2);
    expect(await found(id, { query: 'refund' })).toHaveLength(2);
    expect(embeddings.authorizations.at(-1)).toBe('Bearer embedder-key');
  });

  test('matches by both words and embedding come before matches by one of them', async () => {
    const id = await agentWith(
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

  test('the filter applies to embeddings too', async () => {
    const id = await agentWith(
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
    'while the model answers with %s, search still finds matches by words',
    async (how) => {
      const id = await agentWith({ content: 'my refund' }, { content: 'the payment' });
      await untilEmbedded(id, 2);
      embeddings.misbehave(how);
      expect(await found(id, { query: 'refund' })).toEqual(['my refund']);
      expect(service.log.join('')).toContain('fell back to full-text search');
    },
  );

  test('entries that could not be embedded at first are embedded later', async () => {
    embeddings.misbehave(503);
    const id = await agentWith({ content: 'the payment' });
    const asked = embeddings.requests.length;
    await eventually(() => {
      expect(embeddings.requests.length).toBeGreaterThanOrEqual(asked + 2);
    }, 60_000);
    expect(await embedded(id)).toBe(0);
    embeddings.misbehave(undefined);
    await untilEmbedded(id, 1);
  });

  test('a text that the model rejects does not keep others from being embedded', async () => {
    embeddings.misbehave({ refuses: 'cursed' });
    const id = await agentWith(
      { content: 'the payment' },
      { content: 'a cursed text' },
      { content: 'the invoice' },
    );
    await untilEmbedded(id, 2);
    expect(await found(id, { query: 'invoice' })).toContain('the payment');
  });

  test('another instance, or a restart, does not embed anything again', async () => {
    const id = await agentWith({ content: 'a quite unique payment' });
    await untilEmbedded(id, 1);
    const other = await service.another();
    const again = await agentWith({ content: 'another payment' });
    await untilEmbedded(again, 1);
    await other.stop();
    const times = embeddings.requests.flat().filter((text) => text === 'a quite unique payment');
    expect(times).toHaveLength(1);
  });

  test('another model starts from scratch, and vectors of the old one are not compared', async () => {
    const id = await agentWith({ content: 'the payment of old' });
    await untilEmbedded(id, 1);
    const other = await service.another({ EMBEDDING_MODEL: 'local/another-embedder' });
    const { memoryEmbedding } = service.database.prisma;
    await eventually(async () => {
      const found = await memoryEmbedding.findFirst({ where: { agentId: id } });
      expect(found?.model).toBe('local/another-embedder');
    }, 60_000);
    await other.stop();
  });

  test('clearing the memory removes the embeddings as well', async () => {
    const id = await agentWith({ content: 'the payment' });
    await untilEmbedded(id, 1);
    await tenant.api.expect('clearMemory', 200, { path: { agent_id: id } });
    expect(await found(id, { query: 'refund' })).toEqual([]);
    await purgeAll(service.database);
    expect(await embedded(id)).toBe(0);
  });
});
