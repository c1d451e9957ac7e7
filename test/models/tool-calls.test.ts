/** Tool calls in the wire format of each provider: the model's request, and the result that it gets. */
import { describe, expect, test } from '@jest/globals';
import { answeringToolbox } from './answering-toolbox.js';
import { talk } from './conversation.js';
import { calling } from '../helpers/model-provider/reply.js';
import { useModelProvider } from '../helpers/model-provider/use-model-provider.js';

const provider = useModelProvider();

const weather = {
  name: 'weather',
  description: 'The weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

describe.each(['openai/gpt-4o', 'anthropic/claude-sonnet-4-5', 'local/llama3.2'])('%s', (model) => {
  test('calls a tool and continues with its result', async () => {
    const call = { name: 'weather', arguments: { city: 'Ghent' } };
    provider.behave(calling({ ...call, id: 'call_a' }), { text: ['Take ', 'an umbrella.'] });
    const { called, toolbox } = answeringToolbox(weather, { text: 'It rains.', maxSteps: 4 });
    const said = await talk(provider.url, model, { toolbox });
    expect(said).toMatchObject({ failure: undefined, text: 'Take an umbrella.' });
    expect(called).toMatchObject([call]);
    expect(said.tokens).toBeGreaterThan(12);
    const [first, second] = provider.prompts();
    expect(first?.tools).toMatchObject([weather]);
    expect(second?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', calls: [{ id: 'call_a', ...call }] },
      { role: 'tool', id: 'call_a', text: 'It rains.' },
    ]);
  });

  test('supports output schemas with open objects', async () => {
    const outputSchema = { type: 'object', properties: { city: { type: 'string' } } };
    provider.behave('{}');
    const said = await talk(provider.url, model, { outputSchema });
    expect(said).toMatchObject({ failure: undefined, text: '{}' });
    // OpenAI rejects such a schema in strict mode.
    expect(JSON.stringify(provider.received[0]?.body)).not.toContain('"strict":true');
  });
});
