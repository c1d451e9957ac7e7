/** Names chosen by a tenant cannot contain a character that a terminal would interpret or hide. */
import { expect, test } from '@jest/globals';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';
import { unprintable } from '../helpers/text/unprintable.js';

const service = useService();
const tenant = useTenant(service);
const agent = useAgent(tenant);

type Send = (text: string) => Promise<{ error: { details?: { field: string }[] } }>;

const names: [string, Send][] = [
  [
    'name',
    (text) =>
      tenant.api.expect('createApiKey', 400, {
        body: { name: `Help${text}desk`, permissions: ['read'] },
      }),
  ],
  [
    'version',
    (text) =>
      tenant.api.expect('createDeployment', 400, {
        path: { agent_id: agent.id },
        body: { environment: 'production', version: `1.0${text}0` },
      }),
  ],
  [
    'environment',
    (text) =>
      tenant.api.expect('createDeployment', 400, {
        path: { agent_id: agent.id },
        body: { environment: `pro${text}d`, version: '1.0.0' },
      }),
  ],
  [
    'model',
    (text) =>
      tenant.api.expect('updateAgent', 400, {
        path: { agent_id: agent.id },
        body: { model: `builtin/ec${text}ho` },
      }),
  ],
  [
    'url',
    (text) =>
      tenant.api.expect('createWebhook', 400, {
        body: { url: `https://hooks.example/a${text}b`, events: ['agent.completed'] },
      }),
  ],
];

test.each(names)('%s is rejected with any of them, and named', async (field, send) => {
  // NUL is rejected earlier, in any field.
  for (const character of unprintable.filter((one) => one !== '\0')) {
    const { error } = await send(character);
    expect(error.details?.map((problem) => problem.field)).toEqual([field]);
  }
});
