/** Tool calls in the wire format of each provider: the model's request, and the result that it gets. */
import { describe, expect, test } from '@jest/globals';
import { createOutputCheck } from '../../server/runtime/output-check.js';
import type { ToolCall } from '../../server/runtime/model.js';
import { talk } from './conversation.js';
import { useProvider } from './provider-server.js';
import {
  answer,
  anthropicMessages,
  callToolOfMessages,
  callToolOfResponses,
  callTools,
  chatCompletions,
  openaiResponses,
  type Reply,
  type WantedCall,
  type WireFormat,
} from './wire-formats.js';

const provider = useProvider();

const providers: [string, WireFormat, (call: WantedCall) => Reply, object][] = [
  [
    'openai/gpt-4o',
    openaiResponses,
    callToolOfResponses,
    {
      input: expect.arrayContaining([
        expect.objectContaining({ type: 'function_call', call_id: 'call_a', name: 'weather' }),
        expect.objectContaining({ type: 'function_call_output', output: 'It rains.' }),
      ]),
    },
  ],
  [
    'anthropic/claude-sonnet-4-5',
    anthropicMessages,
    callToolOfMessages,
    {
      messages: expect.arrayContaining([
        {
          role: 'assistant',
          content: [expect.objectContaining({ type: 'tool_use', id: 'toolu_a', name: 'weather' })],
        },
        {
          role: 'user',
          content: [
            expect.objectContaining({
              type: 'tool_result',
              tool_use_id: 'toolu_a',
              content: 'It rains.',
            }),
          ],
        },
      ]),
    },
  ],
  [
    'local/llama3.2',
    chatCompletions,
    (call) => callTools([call]),
    {
      messages: expect.arrayContaining([
        expect.objectContaining({ role: 'assistant', tool_calls: expect.anything() }),
        expect.objectContaining({ role: 'tool', content: 'It rains.' }),
      ]),
    },
  ],
];

describe.each(providers)('%s', (model, format, calling, told) => {
  test('calls a tool and continues with its result', async () => {
    const call = { name: 'weather', arguments: { city: 'Ghent' } };
    provider.behave(calling(call), answer(format, ['Take ', 'an umbrella.']));
    const asked: ToolCall[] = [];
    const said = await talk(provider.url, model, {
      toolbox: {
        maxSteps: 4,
        definitions: [
          { name: 'weather', description: 'The weather.', parameters: { type: 'object' } },
        ],
        call: (calls) => {
          asked.push(...calls);
          return Promise.resolve(
            calls.map((own) => ({ call: own, succeeded: true, text: 'It rains.' })),
          );
        },
      },
    });
    expect(said).toMatchObject({ failure: undefined, text: 'Take an umbrella.' });
    expect(asked).toMatchObject([call]);
    expect(said.tokens).toBeGreaterThan(12);
    expect(provider.received[1]?.body).toMatchObject(told);
  });

  test('supports output schemas with open objects', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    provider.behave(answer(format, ['{}']));
    const said = await talk(provider.url, model, {
      output: createOutputCheck('account_1', schema),
    });
    expect(said).toMatchObject({ failure: undefined, text: '{}' });
    // OpenAI rejects such a schema in strict mode.
    expect(JSON.stringify(provider.received[0]?.body)).not.toContain('"strict":true');
  });
});
