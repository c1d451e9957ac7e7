/** The agents in examples/ as real processes behind a real service, created from their manifests by the operator. */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Api, apiClient, send } from '../helpers/service/api.js';
import { useFixture } from '../helpers/service/fixture.js';
import { operatorProcess } from '../helpers/service/operator.js';
import {
  type Program,
  startCommand,
  startProgram,
  startServiceProcess,
} from '../helpers/programs/process.js';
import { environmentFor, useService, useTenant } from '../helpers/service/service.js';
import { root, temporaryFolder } from '../helpers/programs/workspace.js';

const timeoutMs = 120_000;
const token = 'a-token-of-yours';

/** Runs on the database of the in-process service, for the tenant's account. */
const database = useService();
const tenant = useTenant(database, { isOnlyAccount: true });
const environment = () => ({
  ...environmentFor(database),
  ALLOW_PRIVATE_TARGETS: 'true',
  ORDER_BOT_AUTHORIZATION: `Bearer ${token}`,
});
const service = useFixture(
  () => startServiceProcess({ environment: environment() }),
  ({ end }) => end('SIGTERM'),
);
const operator = operatorProcess(environment);
const call: Api['expect'] = (...args) => apiClient(service.url, tenant.key).expect(...args);

const languages: {
  name: string;
  start: (options: { environment: Record<string, string> }) => Program;
}[] = [
  {
    name: 'typescript',
    start: (options) => startProgram('examples/http-agent-typescript/server.ts', [], options),
  },
  {
    name: 'python',
    start: (options) =>
      startCommand('python3', [path.join(root, 'examples/http-agent-python/server.py')], options),
  },
];

const hasPython = spawnSync('python3', ['--version']).status === 0;
const present = languages.filter(({ name }) => name !== 'python' || hasPython);
if (!hasPython) process.stdout.write('Skipped, for there is no python3: the example in Python\n');

describe.each(present)('the agent in $name', ({ name, start }) => {
  let agent: Program;
  const agentPath = { agent_id: 'order-bot' };
  const inSession = (message: string) => ({ message, context: { session_id: name } });

  beforeAll(async () => {
    agent = start({ environment: { PORT: '0', ORDER_BOT_TOKEN: token } });
    const [, url = ''] = await agent.printed(/listens at (\S+)/);
    const manifest = await readFile(
      path.join(root, `examples/http-agent-${name}/agent.yaml`),
      'utf8',
    );
    const file = path.join(await temporaryFolder(), 'agent.yaml');
    await writeFile(file, manifest.replace('http://127.0.0.1:8700/', url));
    const { code, stderr } = await operator.run(['agents', 'apply', '-f', file]);
    // The in-process service does not have it.
    const note =
      'Note: the variable ORDER_BOT_AUTHORIZATION is set for only some of the running services.\n';
    expect([code, stderr]).toEqual([0, note]);
  }, timeoutMs);

  afterAll(async () => {
    await agent.end('SIGTERM');
  });

  test('answers, and remembers earlier messages', async () => {
    const first = await call('invokeAgent', 200, {
      path: agentPath,
      body: inSession('It is about order 5512.'),
    });
    expect(first.data).toMatchObject({
      response: 'Order 5512 left our warehouse this morning.',
      tokens_used: expect.any(Number),
    });
    const second = await call('invokeAgent', 200, {
      path: agentPath,
      body: inSession('Where is it now?'),
    });
    expect(second.data.response).toContain('5512');
  });

  test('streams its answer word by word', async () => {
    const response = await send(service.url, 'invokeAgent', {
      path: agentPath,
      headers: { authorization: `Bearer ${tenant.key}`, accept: 'text/event-stream' },
      body: { message: 'Where is order 7001?' },
    });
    const text = await response.text();
    expect(text.match(/^event: delta$/gm)?.length).toBe(7);
    expect(text).toContain('Order 7001 left our warehouse this morning.');
  });

  test('answers with JSON when asked to, and rejects requests without its token', async () => {
    const [, url = ''] = await agent.printed(/listens at (\S+)/);
    const body = JSON.stringify({ message: 'Hello', context: {}, history: [] });
    const refused = await fetch(url, { method: 'POST', body });
    expect(refused.status).toBe(401);
    await refused.arrayBuffer();
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
    const answered = await fetch(url, { method: 'POST', body, headers });
    expect(await answered.json()).toMatchObject({
      response: expect.stringContaining('Which order'),
    });
  });
});
