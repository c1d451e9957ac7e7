/** Names and passwords in the URLs of a manifest: refused where they are written, and never shown. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const service = useService();
const tenant = useTenant(service, { isOnlyAccount: true });

const urls = {
  'of an endpoint': ['name: agent', 'model: http/own', 'endpoint:', '  url: URL'],
  'of an HTTP tool': [
    'name: agent',
    'model: builtin/echo',
    'tools:',
    '  http:',
    '    - name: price',
    '      description: The price.',
    '      parameters: { type: object }',
    '      url: URL',
  ],
  'of an MCP server': [
    'name: agent',
    'model: builtin/echo',
    'tools:',
    '  mcp:',
    '    - name: orders',
    '      allow: [lookup]',
    '      url: URL',
  ],
  'of an OAuth provider': [
    'name: agent',
    'model: builtin/echo',
    'auth:',
    '  type: oauth2',
    '  clientId: client',
    '  provider: URL',
  ],
};

test.each(
  Object.entries(urls).flatMap(([place, lines]) =>
    ['user:secret@', 'user@', ':secret@'].map((part) => [place, part, lines] as const),
  ),
)('the URL %s must not contain %s', async (_place, part, lines) => {
  const file = path.join(await temporaryFolder(), 'agent.yaml');
  const text = lines.join('\n');
  await writeFile(file, text.replace('URL', `https://${part}agents.acme.example/`));
  const operator = operatorInProcess(service);
  const { code, stderr } = await operator.run(['agents', 'apply', '-f', file]);
  const [last = ''] = lines.slice(-1);
  expect(stderr).toContain(`agent.yaml:${lines.length}:${last.indexOf('URL') + 1}  `);
  expect(stderr).toMatch(/(url|provider) must be an address with a host and without user name/);
  expect(stderr).not.toContain('secret');
  expect(code).toBe(2);
});

test('an @ in the path or the query of a URL is allowed', async () => {
  const file = path.join(await temporaryFolder(), 'agent.yaml');
  const url = 'https://agents.acme.example/@support?to=a@acme.example';
  await writeFile(file, `name: at\nmodel: http/own\nendpoint:\n  url: ${url}\n`);
  const { code, stderr } = await operatorInProcess(service).run(['agents', 'apply', '-f', file]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
});

test('a password that an earlier release accepted is masked', async () => {
  const { id, name } = await tenant.newAgent({
    model: 'http/own',
    endpoint: { url: 'https://user:secret@agents.acme.example/support' },
  });
  const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
  const shown = { endpoint: { url: 'https://******@agents.acme.example/support' } };
  expect(data.settings).toMatchObject(shown);
  expect(await operatorInProcess(service).json('agents', 'get', name)).toMatchObject(shown);
});
