/** The spans of agents that other agents ask, in a collector. */
import { expect, test } from '@jest/globals';
import { calling } from '../helpers/model-provider/reply.js';
import { message, useServiceWithModel } from '../invocations/service-with-model.js';
import { useCollector } from './collector.js';

const collector = useCollector();
const fixture = useServiceWithModel(() => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '100',
}));

test('the span of an asked agent continues that of the call', async () => {
  const agents = [{ name: 'asked', description: 'Knows more.' }];
  await fixture.newAgent({ name: 'asked' });
  const { id } = await fixture.newAgent({ options: { tools: { maxSteps: 8, agents } } });
  fixture.provider.behave(calling({ name: 'ask_asked', arguments: { message: 'Well?' } }), 'Yes.');
  await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Go'));
  const call = await collector.span(({ name }) => name === 'execute_tool ask_asked');
  const asked = await collector.span(({ name }) => name === 'invoke_agent asked');
  expect(asked).toMatchObject({ traceId: call.traceId, parentSpanId: call.spanId });
});
