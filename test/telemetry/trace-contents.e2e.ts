/** Message contents in traces. */
import { describe, expect, test } from '@jest/globals';
import { startCollector } from './collector.js';
import { message, useServiceWithModel } from '../invocations/service-with-model.js';

const fixture = useServiceWithModel();

describe('message contents', () => {
  test('are recorded in spans on demand, truncated, and not with remember: false', async () => {
    const own = await startCollector();
    const instance = await fixture.service.another({
      WORKER: 'off',
      ASYNC_CONCURRENCY: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: own.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    });
    const api = instance.api(fixture.tenant.key);
    const { id } = await fixture.newAgent({ instructions: 'Be open.' });
    const long = `${'x'.repeat(50_000)} the end`;
    await api.expect('invokeAgent', 200, message(id, `Hello. ${long}`));
    const chat = await own.span(({ name }) => name.startsWith('chat'));
    expect(chat.attributes['gen_ai.system_instructions']).toContain('Be open.');
    const input = String(chat.attributes['gen_ai.input.messages']);
    expect(input).toContain('Hello. xxx');
    expect(input.length).toBeLessThan(10_000);
    expect(JSON.parse(input)).toHaveLength(1);
    expect(chat.attributes['gen_ai.output.messages']).toContain('On its way.');
    own.spans.length = 0;
    const context = { remember: false, session_id: 'private-session' };
    const path = { agent_id: id };
    await api.expect('invokeAgent', 200, { path, body: { message: 'Between us.', context } });
    const unseen = await own.span(({ name }) => name.startsWith('chat'));
    expect(unseen.attributes).not.toHaveProperty('gen_ai.input.messages');
    expect(unseen.attributes).not.toHaveProperty('gen_ai.output.messages');
    const invocation = await own.span(({ name }) => name.startsWith('invoke_agent'));
    expect(invocation.attributes).not.toHaveProperty('gen_ai.conversation.id');
    await instance.stop();
    await own.stop();
  });
});
