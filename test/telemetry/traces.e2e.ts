/** Traces: the spans that a collector receives, and the context that is sent to other services. */
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { type CollectedSpan, kinds, useCollector } from './collector.js';
import { eventually } from '../helpers/eventually.js';
import { whileFailing } from '../helpers/database/failing-table.js';
import { useFixture } from '../helpers/service/fixture.js';
import { startHttpServer } from '../helpers/servers/http-server.js';
import { startReceiver } from '../helpers/servers/receiver.js';
import { useToolFixtures } from '../invocations/tool-fixtures.js';
import { message, messageIn } from '../invocations/service-with-model.js';
import { status } from '../helpers/model-provider/failures.js';

const collector = useCollector();
const { fixture, shop, orders, newToolAgent, scriptModel } = useToolFixtures(() => ({
  WORKER: 'on',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '100',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
  OTEL_SERVICE_NAME: 'agents-under-test',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
}));

const secret = 'a confidential text';

interface LogLine {
  level: string;
  msg: string;
  path?: string;
}

/** A caller with its own trace. */
function newTrace() {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
}

const of = (traceId: string, name: RegExp) => (span: CollectedSpan) =>
  span.traceId === traceId && name.test(span.name);

describe('an invocation', () => {
  test("is a span below the request, which is below the caller's, with a span for each model call", async () => {
    const { traceId, spanId, headers } = newTrace();
    const { id, name } = await fixture.newAgent();
    const call = {
      ...messageIn('chat-7', id, secret),
      headers: { ...headers, tracestate: 'a=1,b=2' },
    };
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    const request = await collector.span(of(traceId, /^POST/));
    expect(request).toMatchObject({
      parentSpanId: spanId,
      name: 'POST /v1/agents/{agent_id}/invoke',
      kind: kinds.server,
      status: 0,
      traceState: 'a=1,b=2',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/agents/{agent_id}/invoke',
        'http.response.status_code': 200,
        'url.path': `/v1/agents/${id}/invoke`,
        'url.scheme': 'http',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(fixture.service.url).port),
        'agent_hosting.operation': 'invokeAgent',
        'agent_hosting.request.id': data.request_id,
        'agent_hosting.account.id': fixture.tenant.accountId,
      },
      resource: {
        'service.name': 'agents-under-test',
        'service.version': '0.1.0',
        'deployment.environment.name': 'test',
      },
    });
    const invocation = await collector.span(of(traceId, /^invoke_agent/));
    expect(invocation).toMatchObject({
      parentSpanId: request.spanId,
      name: `invoke_agent ${name}`,
      kind: kinds.internal,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': id,
        'gen_ai.agent.name': name,
        'gen_ai.provider.name': 'local',
        'gen_ai.request.model': 'llama3.2',
        'gen_ai.conversation.id': 'chat-7',
        'gen_ai.usage.input_tokens': 5,
        'gen_ai.usage.output_tokens': 2,
        'agent_hosting.usage.total_tokens': 7,
      },
    });
    const chat = await collector.span(of(traceId, /^chat/));
    expect(chat).toMatchObject({
      parentSpanId: invocation.spanId,
      name: 'chat llama3.2',
      kind: kinds.client,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'local',
        'gen_ai.request.model': 'llama3.2',
        'gen_ai.response.model': 'llama3.2-2026-01-01',
        'gen_ai.usage.input_tokens': 5,
        'gen_ai.usage.output_tokens': 2,
        'gen_ai.response.finish_reasons': ['stop'],
        'http.response.status_code': 200,
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(fixture.provider.url).port),
      },
    });
    expectWithin(chat, invocation);
    expectWithin(invocation, request);
    const [sent] = collector.requests;
    expect(sent).toMatchObject({
      path: '/v1/traces',
      headers: { authorization: 'Bearer of-the-collector' },
    });
  });

  test('puts no message, response or key into its spans', async () => {
    const { traceId, headers } = newTrace();
    const { id } = await fixture.newAgent({ instructions: 'Be secretive.' });
    await fixture.tenant.api.expect('invokeAgent', 200, { ...message(id, secret), headers });
    await collector.span(of(traceId, /^POST/));
    const texts = JSON.stringify(collector.spans, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const text of [secret, 'On its way', 'secretive', fixture.tenant.key]) {
      expect(texts).not.toContain(text);
    }
  });

  test('that fails is marked in each of its spans', async () => {
    const { traceId, headers } = newTrace();
    const { id } = await fixture.newAgent();
    fixture.provider.behave(status(500));
    await fixture.tenant.api.call('invokeAgent', { ...message(id, 'Hello'), headers });
    const request = await collector.span(of(traceId, /^POST/));
    expect(request).toMatchObject({ status: 2, attributes: { 'error.type': '502' } });
    const invocation = await collector.span(of(traceId, /^invoke_agent/));
    expect(invocation).toMatchObject({
      status: 2,
      attributes: { 'error.type': 'upstream_error' },
    });
    const chats = collector.spans.filter(of(traceId, /^chat/));
    expect(chats).toHaveLength(3);
    for (const { attributes } of chats) {
      expect(attributes).toMatchObject({
        'error.type': '500',
        'http.response.status_code': 500,
        'server.address': '127.0.0.1',
      });
    }
  });

  test('whose provider is unreachable records its address', async () => {
    const { traceId, headers } = newTrace();
    const gone = await startHttpServer((_req, res) => res.end());
    await gone.stop();
    const { id } = await fixture.newAgent({ model: 'http/gone', endpoint: { url: gone.url } });
    await fixture.tenant.api.call('invokeAgent', { ...message(id, 'Hello'), headers });
    const { attributes } = await collector.span(of(traceId, /^chat/));
    expect(attributes).toMatchObject({ 'error.type': 'failed', 'server.port': gone.port });
    expect(attributes).not.toHaveProperty('http.response.status_code');
  });

  test('whose model reports only total tokens records only those', async () => {
    const { traceId, headers } = newTrace();
    const endpoint = await startHttpServer((_req, res) => {
      res.writeHead(201, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ response: 'Hello.', tokens_used: 3 }));
    });
    const { id } = await fixture.newAgent({ model: 'http/sum', endpoint: { url: endpoint.url } });
    await fixture.tenant.api.expect('invokeAgent', 200, { ...message(id, 'Hello'), headers });
    const { attributes } = await collector.span(of(traceId, /^invoke_agent/));
    expect(attributes['agent_hosting.usage.total_tokens']).toBe(3);
    expect(attributes).not.toHaveProperty('gen_ai.usage.input_tokens');
    const chat = await collector.span(of(traceId, /^chat/));
    expect(chat.attributes['http.response.status_code']).toBe(201);
    await endpoint.stop();
  });

  test('has a span for each tool call, whose context the tool receives', async () => {
    const { traceId, headers } = newTrace();
    const agent = await newToolAgent();
    scriptModel(
      [
        { name: 'orders_lookup', arguments: { order_id: secret } },
        { name: 'refund', arguments: { order_id: '5512', reason: secret } },
      ],
      'Done.',
    );
    let sent: IncomingHttpHeaders = {};
    shop.respond = (request) => {
      sent = request.headers;
      return [500, 'No.'];
    };
    await fixture.tenant.api.expect('invokeAgent', 200, { ...message(agent, 'Go'), headers });
    const invocation = await collector.span(of(traceId, /^invoke_agent/));
    const lookup = await collector.span(of(traceId, /^execute_tool orders_lookup/));
    expect(lookup).toMatchObject({
      parentSpanId: invocation.spanId,
      kind: kinds.internal,
      status: 0,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'orders_lookup',
        'gen_ai.tool.call.id': expect.stringMatching(/./),
      },
    });
    const refund = await collector.span(of(traceId, /^execute_tool refund/));
    expect(refund).toMatchObject({ status: 2, attributes: { 'error.type': 'failed' } });
    expect(sent['traceparent']).toBe(`00-${traceId}-${refund.spanId}-01`);
    // One connection serves all calls of an invocation.
    expect(orders.traceparents).toContain(`00-${traceId}-${invocation.spanId}-01`);
    expect([sent['tracestate'], orders.tracestates.at(-1)]).toEqual([
      'agent-hosting=d:1',
      'agent-hosting=d:1',
    ]);
    expect(JSON.stringify(refund.attributes)).not.toContain(secret);
  });

  test('by an agent behind an endpoint sends it the context of the call', async () => {
    const { traceId, headers } = newTrace();
    const received: IncomingHttpHeaders[] = [];
    const endpoint = await startHttpServer((req, res) => {
      received.push(req.headers);
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ response: 'Hello.', tokens_used: 3 }));
    });
    const { id } = await fixture.newAgent({
      model: 'http/mine',
      endpoint: { url: endpoint.url },
    });
    const call = { ...message(id, 'Hello'), headers: { ...headers, tracestate: 'vendor=1' } };
    await fixture.tenant.api.expect('invokeAgent', 200, call);
    const chat = await collector.span(of(traceId, /^chat/));
    expect(received[0]).toMatchObject({
      traceparent: `00-${traceId}-${chat.spanId}-01`,
      tracestate: 'agent-hosting=d:1,vendor=1',
    });
    await endpoint.stop();
  });

  test('has the same trace id in its spans and its log', async () => {
    const { traceId, headers } = newTrace();
    const { id } = await fixture.newAgent();
    await fixture.tenant.api.expect('invokeAgent', 200, { ...message(id, 'Hello'), headers });
    await eventually(() => {
      const line = fixture.service.log.find((entry) => entry.includes(traceId)) ?? '{}';
      expect(JSON.parse(line)).toMatchObject({ msg: 'request', trace_id: traceId, status: 200 });
    });
  });
});

describe('a request', () => {
  test('without a trace starts one, which is logged', async () => {
    const { headers } = await fixture.tenant.api.call('listAgents');
    const id = headers.get('x-request-id') ?? '';
    const span = await collector.span(
      ({ attributes }) => attributes['agent_hosting.request.id'] === id,
    );
    expect(span.parentSpanId ?? '').toBe('');
    const line = fixture.service.log.find((entry) => entry.includes(id)) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ trace_id: span.traceId });
  });

  test.each([
    ['nonsense', 'nonsense'],
    ['an all-zero trace', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['an all-zero span', `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`],
    ['the forbidden version', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['capitals', '00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01'],
    ['a huge value', `00-${'a'.repeat(9_000)}-00f067aa0ba902b7-01`],
  ])('with %s as its trace starts a new one', async (_name, traceparent) => {
    const { headers } = await fixture.tenant.api.call('listAgents', { headers: { traceparent } });
    const id = headers.get('x-request-id') ?? '';
    const span = await collector.span(
      ({ attributes }) => attributes['agent_hosting.request.id'] === id,
    );
    expect(span.parentSpanId ?? '').toBe('');
    expect(traceparent).not.toContain(span.traceId);
  });

  test('with a huge tracestate or baggage is served, and does not forward it', async () => {
    const { traceId, headers } = newTrace();
    const { id } = await fixture.newAgent();
    const huge = Array.from({ length: 600 }, (_, index) => `k${index}=v`).join(',');
    const call = {
      ...message(id, 'Hello'),
      headers: { ...headers, tracestate: huge, baggage: huge },
    };
    await fixture.tenant.api.expect('invokeAgent', 200, call);
    const span = await collector.span(of(traceId, /^POST/));
    expect((span.traceState ?? '').length).toBeLessThanOrEqual(512);
  });

  test('that the caller does not sample has no span', async () => {
    const { traceId, spanId } = newTrace();
    const headers = { traceparent: `00-${traceId}-${spanId}-00` };
    await fixture.tenant.api.call('listAgents', { headers });
    const later = newTrace();
    await fixture.tenant.api.call('listAgents', { headers: later.headers });
    await collector.span(of(later.traceId, /^GET/));
    expect(collector.spans.some((span) => span.traceId === traceId)).toBe(false);
  });

  test('of a probe has no span, and is logged at debug level only', async () => {
    const before = fixture.service.log.length;
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      await fetch(`${fixture.service.url}${path}`);
    }
    const { traceId, headers } = newTrace();
    await fixture.tenant.api.call('listAgents', { headers });
    await collector.span(of(traceId, /^GET/));
    expect(collector.spans.filter(({ name }) => name === 'GET')).toEqual([]);
    const lines = fixture.service.log.slice(before).map((line) => JSON.parse(line) as LogLine);
    const about = (path: string) => lines.filter((line) => line.path === path);
    expect(about('/v1/agents')).toMatchObject([{ level: 'info', msg: 'request' }]);
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect(about(path)).toMatchObject([{ level: 'debug', msg: 'request' }]);
    }
  });

  test('with a path outside the contract does not record the path', async () => {
    const { traceId, headers } = newTrace();
    await fetch(`${fixture.service.url}/oops/ahs_a_key_in_the_wrong_place?key=too`, { headers });
    const span = await collector.span(of(traceId, /^GET$/));
    expect(JSON.stringify(span.attributes)).not.toMatch(/oops|wrong_place|too/);
    expect(span.attributes['http.response.status_code']).toBe(404);
  });
});

describe('after the request,', () => {
  const receiver = useFixture(
    () => startReceiver(),
    (started) => started.close(),
  );

  test('an asynchronous invocation and its delivery are in the trace of the request', async () => {
    const { traceId, headers } = newTrace();
    const tenant = await fixture.service.tenant();
    const { id } = await tenant.newAgent();
    await tenant.api.expect('createWebhook', 201, {
      body: { url: receiver.url, events: ['agent.completed'] },
    });
    await tenant.api.expect('invokeAgent', 202, {
      ...message(id, 'Hello'),
      headers: { ...headers, prefer: 'respond-async' },
    });
    const request = await collector.span(of(traceId, /^POST/));
    const invocation = await collector.span(of(traceId, /^invoke_agent/));
    expect(invocation.parentSpanId).toBe(request.spanId);
    expect(invocation.attributes['agent_hosting.invocation.mode']).toBe('asynchronous');
    const delivery = await collector.span(of(traceId, /^deliver agent.completed/));
    expect(delivery).toMatchObject({
      parentSpanId: invocation.spanId,
      kind: kinds.client,
      attributes: { 'http.response.status_code': 204, 'http.request.resend_count': 0 },
    });
    const [receipt] = await receiver.got(1);
    expect(receipt?.headers['traceparent']).toBe(`00-${traceId}-${delivery.spanId}-01`);
  });

  test('an asynchronous invocation that fails with an internal error is logged with the trace id', async () => {
    const { traceId, headers } = newTrace();
    const { id } = await fixture.newAgent();
    const call = messageIn('chat-8', id, 'Hello');
    await whileFailing(fixture.service.database, 'session_leases', { code: '23514' }, async () => {
      await fixture.tenant.api.expect('invokeAgent', 202, {
        ...call,
        headers: { ...headers, prefer: 'respond-async' },
      });
      const logged = await eventually(() => {
        const failed = fixture.service.log.find((line) => line.includes('invocation failed'));
        expect(failed).toBeDefined();
        return failed;
      });
      expect(JSON.parse(logged ?? '{}')).toMatchObject({
        msg: 'an asynchronous invocation failed',
        trace_id: traceId,
      });
    });
  });
});

/** The SDK rounds the start of each span to a millisecond. */
const millisecond = 1_000_000n;

function expectWithin(inner: CollectedSpan, outer: CollectedSpan): void {
  expect(inner.start).toBeGreaterThanOrEqual(outer.start);
  expect(inner.end).toBeLessThanOrEqual(outer.end + millisecond);
}
