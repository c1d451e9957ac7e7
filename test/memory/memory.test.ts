/** Search memory, over real HTTP and PostgreSQL. */
import { describe, expect, test } from '@jest/globals';
import type { MemoryMatch } from '../../generated/api.js';
import { agentWithMemory, type NewMemory } from './filled-memory.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);

function search(agent_id: string, body: Record<string, unknown>) {
  return tenant.api.expect('searchMemory', 200, { path: { agent_id }, body });
}

const agentWith = (...messages: (string | NewMemory)[]) =>
  agentWithMemory(service.database, tenant, messages);

const contents = (data: MemoryMatch[]) => data.map(({ content }) => content);

describe('Search memory', () => {
  test('finds both messages of an invocation, with their origin', async () => {
    const { id } = await tenant.newAgent();
    const { data: answer } = await tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: id },
      body: {
        message: 'Please deliver to my office',
        context: { user_id: 'user-1', session_id: 'chat-1' },
      },
    });
    const { data, pagination } = await search(id, { query: 'office' });
    expect(data.map(({ role }) => role).sort()).toEqual(['agent', 'user']);
    for (const match of data) {
      expect(match.metadata).toEqual({
        request_id: answer.request_id,
        session_id: 'chat-1',
        user_id: 'user-1',
      });
      expect(match.score).toBeGreaterThan(0);
      expect(match.score).toBeLessThanOrEqual(1);
    }
    expect(pagination).toEqual({ limit: 10, offset: 0, total: 2, has_more: false });
  });

  test('ranks by the number of matching words, then by rarity, then by time', async () => {
    const id = await agentWith(
      'my address is in Berlin',
      'the delivery is late',
      'the delivery address is wrong',
      'nothing of the kind',
      'the delivery is late again',
    );
    const { data } = await search(id, { query: 'delivery address' });
    expect(contents(data)).toEqual([
      'the delivery address is wrong',
      'my address is in Berlin',
      'the delivery is late again',
      'the delivery is late',
    ]);
    const scores = data.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  test.each([
    ['inflected', 'deliveries', 'the delivery is late'],
    ['inflected in memory', 'refund', 'I was refunded twice'],
    ['in capitals', 'BERLIN', 'she moved to Berlin'],
    ['a number', '5512', 'order 5512 is lost'],
    ['of another script', 'Привет', 'Привет, как дела'],
  ])('finds a word %s: %s', async (_, query, content) => {
    const id = await agentWith('quite another thing', content, 'and yet another');
    expect(contents((await search(id, { query })).data)).toEqual([content]);
  });

  test('finds the first, the middle and the last word of the longest message', async () => {
    const { id } = await tenant.newAgent();
    const filler = (n: number) =>
      `a${n.toString(36).replaceAll(/[0-9]/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))} `;
    const half = Array.from({ length: 20_000 }, (_, n) => filler(n))
      .join('')
      .slice(0, 49_980);
    const message = `narwhal ${half} ocelot ${half}`.slice(0, 99_990).padEnd(99_990) + ' zebra';
    await tenant.api.expect('invokeAgent', 200, { path: { agent_id: id }, body: { message } });
    for (const query of ['narwhal', 'ocelot', 'zebra']) {
      const { data } = await search(id, { query });
      expect(data.map(({ role }) => role)).toContain('user');
    }
  });

  test('a similar word or number does not match', async () => {
    const id = await agentWith('order 551234 is lost');
    expect((await search(id, { query: '551235 odrer' })).data).toEqual([]);
  });

  test('a query of stop words only finds the exact text', async () => {
    const id = await agentWith('Tell me, who are you?', 'me and you');
    expect(contents((await search(id, { query: 'Who are you?' })).data)).toEqual([
      'Tell me, who are you?',
    ]);
    expect((await search(id, { query: '!?' })).data).toEqual([]);
  });

  test.each(['?!', '%', '_', '\\', '¿'])('finds the character %s literally', async (query) => {
    const content = `really ${query} yes`;
    const id = await agentWith('really! yes?', content, 'really / yes');
    expect(contents((await search(id, { query })).data)).toEqual([content]);
  });

  test.each([
    "'",
    '\\',
    "a' | b",
    "x'); DROP TABLE agents; --",
    '!!& | ()',
    ':*',
    '%',
    '\u{1F600}',
    '!&|<->():*'.repeat(95),
    "'".repeat(990),
    Array.from({ length: 240 }, (_, n) => `w${n}`)
      .join(' ')
      .slice(0, 990),
    'ab-'.repeat(330),
  ])('treats %j as text', async (query) => {
    const id = await agentWith(`before ${query} after`);
    await search(id, { query });
    await search(id, { query: `before ${query}` });
  });

  test('filters by user, by session, and by both', async () => {
    const id = await agentWith(
      { content: 'invoice one', userId: 'anna', sessionId: 's1' },
      { content: 'invoice two', userId: 'anna', sessionId: 's2' },
      { content: 'invoice three', userId: 'ben', sessionId: 's2' },
      { content: 'invoice four' },
    );
    const found = async (filter: Record<string, string>) =>
      contents((await search(id, { query: 'invoice', filter })).data).sort();
    expect(await found({ user_id: 'anna' })).toEqual(['invoice one', 'invoice two']);
    expect(await found({ session_id: 's2' })).toEqual(['invoice three', 'invoice two']);
    expect(await found({ user_id: 'anna', session_id: 's2' })).toEqual(['invoice two']);
    expect(await found({ user_id: 'missing' })).toEqual([]);
  });

  test('returns the requested number, and the total', async () => {
    const id = await agentWith(...Array.from({ length: 15 }, (_, n) => `parcel number ${n}`));
    const { data, pagination } = await search(id, { query: 'parcel', limit: 4 });
    expect(contents(data)).toEqual([14, 13, 12, 11].map((n) => `parcel number ${n}`));
    expect(pagination).toEqual({ limit: 4, offset: 0, total: 15, has_more: true });
    const rest = await search(id, { query: 'parcel', limit: 100 });
    expect(rest.pagination).toMatchObject({ limit: 100, total: 15, has_more: false });
  });

  test('finds nothing of another agent', async () => {
    await agentWith('a secret handshake');
    const id = await agentWith('nothing special');
    expect((await search(id, { query: 'secret handshake' })).data).toEqual([]);
  });

  test.each([
    ['query', {}],
    ['query', { query: '' }],
    ['query', { query: 'x'.repeat(1_001) }],
    ['query', { query: 'a\u0000b' }],
    ['limit', { query: 'a', limit: 101 }],
    ['filter', { query: 'a', filter: {} }],
    ['filter.colour', { query: 'a', filter: { colour: 'red' } }],
    ['offset', { query: 'a', offset: 10 }],
  ])('400 naming %s for %j', async (field, body) => {
    const { id } = await tenant.newAgent();
    const { error } = await tenant.api.expect('searchMemory', 400, {
      path: { agent_id: id },
      body,
    });
    expect(error.details?.map((problem) => problem.field)).toEqual([field]);
  });
});
