/** The example whose tools act for their user runs as its guide says. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { callTools } from '../helpers/model-provider/wire-formats.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { root } from '../helpers/programs/workspace.js';
import { resume, said } from '../invocations/careful-agents.js';
import { useToolFixtures } from '../invocations/tool-fixtures.js';

const secret = 'a secret of the orders agent, of at least 32 bytes';
const tokenOfAda = signToken(secret, { ...usualClaims(), user_id: 'ada' });
// Set before the service starts, because it tells the operator then which variables it has.
process.env['MY_ORDERS_JWT_SECRET'] = secret;

const { fixture, shop, apply } = useToolFixtures();

const example = readFileSync(path.join(root, 'examples/manifests/my-orders.yaml'), 'utf8');

test('the guide shows the example', () => {
  const guide = readFileSync(path.join(root, 'docs/acting-for-the-user.md'), 'utf8');
  expect(guide).toContain(example.slice(example.indexOf('name: my-orders')));
});

test('the tools of the example act for the user of the token, and return what that user approves', async () => {
  const manifest = parse(example.replaceAll('https://api.acme.example', shop.url)) as object;
  expect(await apply(manifest)).toMatchObject({ code: 0 });
  const { prisma } = fixture.service.database;
  const { id: agent_id } = await prisma.agent.findFirstOrThrow({ where: { name: 'my-orders' } });
  const ada = fixture.service.api(tokenOfAda);
  fixture.provider.behave(
    callTools([{ name: 'list_orders', arguments: { status: 'open', customer: 'eve' } }]),
    callTools([{ name: 'return_order', arguments: { order_id: '7' } }]),
    said('It goes back.'),
  );
  const { data } = await ada.expect('invokeAgent', 200, {
    path: { agent_id },
    body: { message: 'Send my open order back.' },
  });
  const [listed] = shop.received;
  const { pathname, searchParams } = new URL(listed?.url ?? '', shop.url);
  expect(pathname).toBe('/customers/ada/orders');
  expect(Object.fromEntries(searchParams)).toEqual({ status: 'open', limit: '20' });
  expect(listed?.authorization).toBe(process.env['SHOP_TOKEN']);

  const shown = { order_id: '7', channel: 'assistant', reference: data.request_id };
  expect(data.approvals).toMatchObject([{ tool: 'return_order', arguments: shown }]);
  const approval = {
    ...resume({ name: agent_id }, data.request_id, {
      decisions: [{ call_id: 'call_2', decision: 'approve' }],
    }),
  };
  await ada.expect('invokeAgent', 200, approval);
  const [, returned] = shop.received;
  expect(JSON.parse(returned?.body ?? '')).toEqual(shown);
  expect(returned?.authorization).toBe(`Bearer ${tokenOfAda}`);
});
