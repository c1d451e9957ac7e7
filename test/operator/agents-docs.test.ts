/** Each manifest in the guides to agents, conversations and tools is applied and invoked, with servers on loopback. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { type ModelStep, orderTools, useToolFixtures } from '../invocations/tool-fixtures.js';
import { message } from '../invocations/service-with-model.js';
import { root } from '../helpers/programs/workspace.js';

const { fixture, orders, shop, apply, scriptModel } = useToolFixtures();

const text = [
  'docs/tools.md',
  'docs/agents.md',
  'docs/conversations.md',
  'docs/long-runs-and-approvals.md',
]
  .map((file) => readFileSync(path.join(root, file), 'utf8'))
  .join('\n');
const manifests = [...text.matchAll(/```yaml\n(name: [^]*?)```/g)].map(([, yaml = '']) => yaml);

const here = (yaml: string) =>
  yaml
    .replaceAll('https://mcp.acme.example/mcp', orders.url)
    .replaceAll('https://api.acme.example', shop.url);

/** The model steps of each example, and the expected response. */
const examples: Record<string, { steps: ModelStep[]; response: string }> = {
  'order-desk': {
    steps: [
      [{ name: 'orders_lookup', arguments: { order_id: '5512' } }],
      [{ name: 'refund', arguments: { order_id: '5512', reason: 'It is blue.' } }],
      'Refunded.',
    ],
    response: 'Refunded.',
  },
  'help-desk': { steps: ['It left.'], response: 'It left.' },
  'careful-bot': { steps: ['Let me think.'], response: 'Let me think.' },
  'order-reader': {
    steps: ['Gladly!', '{"order_id":"5512","items":["bicycle"]}'],
    response: '{"order_id":"5512","items":["bicycle"]}',
  },
  'steady-bot': { steps: ['Here I am.'], response: 'Here I am.' },
  'support-bot': { steps: ['Hello.'], response: 'Hello.' },
  companion: { steps: ['Hello again.'], response: 'Hello again.' },
  confidant: { steps: ['I keep it to myself.'], response: 'I keep it to myself.' },
  researcher: {
    steps: [[{ name: 'search', arguments: { query: 'bicycles' } }], 'There are many.'],
    response: 'There are many.',
  },
  'refund-desk': {
    steps: [[{ name: 'refund', arguments: { order_id: '5512', reason: 'It is blue.' } }]],
    // It waits for approval.
    response: '',
  },
};

describe('an example', () => {
  test.each(Object.entries(examples))('of %s', async (name, { steps, response }) => {
    const yaml = manifests.find((own) => own.startsWith(`name: ${name}\n`));
    if (yaml === undefined) throw new Error(`The docs have no example of ${name}.`);
    orders.tools = { ...orderTools, cancel: { ...orderTools.lookup, run: () => 'Cancelled.' } };
    const { code, stderr } = await apply(parse(here(yaml)) as object);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    fixture.provider.configure({ kind: 'vllm' });
    scriptModel(...steps);
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Please.'));
    expect(data.response).toBe(response);
  });

  test('exists for each of these, and for no other', () => {
    const names = manifests.map((yaml) => (parse(yaml) as { name: string }).name);
    expect(names).toEqual(Object.keys(examples));
  });
});
