/** Structured output: the response is JSON that fits the schema, or the invocation fails. */
import { describe, expect, test } from '@jest/globals';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { streamed } from './event-reader.js';
import { message, recordsOf, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();
const schema = {
  type: 'object' as const,
  required: ['total'],
  additionalProperties: false,
  properties: { total: { type: 'integer' } },
};
const newAgent = () => fixture.newAgent({ options: { output: { schema } } });
const says = (...texts: string[]) => {
  fixture.provider.behave(...texts.map((text) => answer(chatCompletions, text.split(''))));
};
const lastBody = () =>
  fixture.provider.received.at(-1)?.body as {
    messages: { role: string; content: string }[];
    response_format: { type: string };
  };

describe('a response', () => {
  test.each([
    ['that fits', '{"total":5}'],
    ['in a block of Markdown', '```json\n{"total":5}\n```'],
    ['with space around it', '\n {"total":5}\n'],
  ])('%s becomes plain JSON', async (_, text) => {
    const { id } = await newAgent();
    says(text);
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'How many?'));
    expect(data.response).toBe('{"total":5}');
    expect(fixture.provider.received).toHaveLength(1);
    expect(lastBody().response_format.type).toMatch(/^json/);
    expect(lastBody().messages[0]?.content).toContain('"total":{"type":"integer"}');
  });

  test.each([
    ['is not JSON', 'Five.', 'it is not JSON'],
    ['does not fit the schema', '{"total":"5","x":1}', '(x)'],
  ])('that %s is sent back to the model once', async (_, text, problem) => {
    const { id } = await newAgent();
    says(text, '{"total":5}');
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'How many?'));
    expect(data).toMatchObject({ response: '{"total":5}', tokens_used: 5 + text.length + 5 + 11 });
    const [said, correction] = lastBody().messages.slice(-2);
    expect(said).toMatchObject({ role: 'assistant', content: text });
    expect(correction?.content).toContain(problem.replace('(x)', '("x")'));
    const { logs } = await recordsOf(fixture.service, data.request_id);
    expect(logs).toMatchObject([
      {
        level: 'debug',
        message: 'Model called again: the response does not fit output.schema',
        metadata: { call: 2 },
      },
      { level: 'info', message: expect.stringMatching(/^Invocation answered/) },
    ]);
  });

  test('that is invalid again fails the invocation, with a code and a logged reason', async () => {
    const { id } = await newAgent();
    says('Five.', '{"total":"five"}');
    const reply = await fixture.tenant.api.call('invokeAgent', message(id, 'How many?'));
    expect(reply).toMatchObject({ status: 502, body: { error: { code: 'upstream_error' } } });
    const requestId = reply.headers.get('x-request-id') ?? '';
    const { logs, memory } = await recordsOf(fixture.service, requestId);
    expect(logs.at(-1)).toMatchObject({
      message: expect.stringMatching(/does not fit output\.schema, even after a correction$/),
      metadata: { said: '/total must be integer' },
    });
    expect(memory).toEqual([]);
    expect(fixture.provider.received).toHaveLength(2);
  });

  test('is streamed as a whole, after it was validated', async () => {
    const { id } = await newAgent();
    says('{"total": nonsense', '{"total":5}');
    const { events } = await streamed(
      fixture.service.url,
      fixture.tenant.key,
      message(id, 'How many?'),
    );
    expect(events[0]).toEqual({ event: 'delta', data: { text: '{"total":5}' } });
    expect(events).toHaveLength(2);
  });
});
