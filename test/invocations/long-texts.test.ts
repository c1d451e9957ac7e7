/** Long stored texts are returned completely in every form, and never more of them than a process can hold. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { InvocationEvent } from '../../generated/api.js';
import { eventually } from '../helpers/eventually.js';
import { recordHistory } from '../helpers/database/history.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import { streamed } from './event-reader.js';
import { message, messageIn, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

const long = `The parcel is late. ${'長'.repeat(70_000)}`;

const newLongAgent = () =>
  fixture.tenant.newAgent({ model: 'http/long', endpoint: { url: fixture.provider.url } });

const inOnePiece: Behaviour = (response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ response: long }));
};

/** A short event, a long one, and a short one. */
const inEvents: Behaviour = (response) => {
  response.setHeader('content-type', 'text/event-stream');
  for (const text of ['Well: ', long, ' The end.']) {
    response.write(`event: delta\ndata: ${JSON.stringify({ text })}\n\n`);
  }
  response.end('event: done\ndata: {}\n\n');
};

const keyed = (agentId: string) =>
  message(agentId, 'Where is it?', { headers: { 'idempotency-key': randomUUID() } });

const textOf = (events: readonly InvocationEvent[]) =>
  events.map(({ event, data }) => (event === 'delta' ? data.text : '')).join('');

test('a long response is replayed byte for byte, as JSON and as a stream', async () => {
  fixture.provider.behave(inOnePiece);
  const call = keyed((await newLongAgent()).id);
  const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
  expect(data.response).toBe(long);
  const repeated = await fixture.tenant.api.call('invokeAgent', call);
  expect(repeated.headers.get('idempotency-replayed')).toBe('true');
  expect(repeated.body).toEqual({ success: true, data });
  const { events } = await streamed(fixture.service.url, fixture.tenant.key, call);
  expect(events).toEqual([
    { event: 'delta', data: { text: long } },
    { event: 'done', data },
  ]);
});

test('a stream with a long event can be resumed before and after it', async () => {
  fixture.provider.behave(inEvents);
  const call = keyed((await newLongAgent()).id);
  const { url } = fixture.service;
  const first = await streamed(url, fixture.tenant.key, call);
  expect(textOf(first.events)).toBe(`Well: ${long} The end.`);
  const requestId = first.headers.get('x-request-id');
  const rest = async (position: number) => {
    const headers = { ...call.headers, 'last-event-id': `${requestId}.${position}` };
    const { events } = await streamed(url, fixture.tenant.key, { ...call, headers });
    return events;
  };
  expect(await rest(1)).toEqual(first.events.slice(1));
  expect(await rest(2)).toEqual(first.events.slice(2));
});

test('a long history is sent to the agent completely', async () => {
  fixture.provider.behave(inOnePiece);
  const { id } = await fixture.tenant.newAgent({
    model: 'http/long',
    endpoint: { url: fixture.provider.url },
    options: { historyTokens: 1_000_000 },
  });
  await fixture.tenant.api.expect('invokeAgent', 200, messageIn('chat', id, 'Where is it?'));
  await fixture.tenant.api.expect('invokeAgent', 200, messageIn('chat', id, 'And now?'));
  expect(fixture.provider.received.at(-1)?.body).toMatchObject({
    history: [
      { role: 'user', content: 'Where is it?' },
      { role: 'agent', content: long },
    ],
  });
});

test('a search returns complete long contents, up to 1 MB in total', async () => {
  const { id: agentId } = await fixture.tenant.newAgent();
  const { accountId } = fixture.tenant;
  const said = (content: string) => [{ role: 'agent' as const, content }];
  const past = { at: Date.now(), durationMs: 1, failed: false };
  const search = { path: { agent_id: agentId }, body: { query: 'parcel', limit: 100 } };
  const lengths = async () => {
    const { data, pagination } = await fixture.tenant.api.expect('searchMemory', 200, search);
    return { lengths: data.map(({ content }) => content.length), total: pagination.total };
  };
  for (const n of [1, 2, 3]) {
    await recordHistory(fixture.service.database, { accountId, agentId }, [
      { ...past, said: said(`${long} ${n}`) },
    ]);
  }
  await eventually(async () => {
    expect(await lengths()).toEqual({ lengths: [1, 2, 3].map(() => long.length + 2), total: 3 });
  });
  const longest = `A parcel. ${'x'.repeat(260_000)}`;
  for (const n of [1, 2, 3]) {
    await recordHistory(fixture.service.database, { accountId, agentId }, [
      { ...past, said: said(`${longest} ${n}`) },
    ]);
  }
  await eventually(async () => {
    const found = await lengths();
    expect(found.total).toBe(6);
    expect(found.lengths.length).toBeGreaterThan(0);
    expect(found.lengths.length).toBeLessThan(6);
  });
});
