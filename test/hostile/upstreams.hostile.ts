/** `npm run test:hostile`: no response of a model, tool, MCP server or agent stops the service from answering. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { send } from '../helpers/service/api.js';
import { useFixture } from '../helpers/service/fixture.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import {
  type ServiceProcess,
  startProgram,
  startServiceProcess,
} from '../helpers/programs/process.js';
import { residentMemory } from '../helpers/programs/resident-memory.js';
import { environmentFor, useService, useTenant } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import type { NewAgent } from '../invocations/service-with-model.js';
import { probeDuring } from './probe.js';
import { agents, models } from './upstream.js';

const longestWaitMs = 250;
/** The machine itself can be busy for a moment, but not each time that the same response is sent. */
const tries = 3;
const maxMemoryMb = 512;
/** Concurrent invocations per kind of response. */
const invocations = 4;
const token = 'Bearer tool-secret-4711-0815';

// This service creates the accounts; the service under attack is another process.
const observer = useService({
  WORKER: 'off',
  ASYNC_CONCURRENCY: '0',
  // The operator allows what all running services allow.
  ALLOW_PRIVATE_TARGETS: 'true',
});
const tenant = useTenant(observer, { isOnlyAccount: true });

const upstream = useFixture(
  async () => {
    const program = startProgram('test/hostile/upstream.ts', ['listen'], { hasOwnSession: true });
    const [, url = ''] = await program.printed(/upstream at (\S+)\n/);
    return { url, end: program.end };
  },
  ({ end }) => end('SIGKILL'),
);

const service = useFixture<ServiceProcess>(
  () => startServiceProcess({ environment: settings() }),
  async (program) => void (await program.end('SIGTERM')),
);

const settings = () => ({
  ...environmentFor(observer),
  ALLOW_PRIVATE_TARGETS: 'true',
  LOG_LEVEL: 'error',
  LOCAL_BASE_URL: `${upstream.url}/v1`,
  TOOL_TOKEN: token,
});

/** Invokes an agent several times at once; resolves to the statuses. */
const invoke = (agent_id: string): Promise<number[]> =>
  Promise.all(
    Array.from({ length: invocations }, async () => {
      const response = await send(service.url, 'invokeAgent', {
        path: { agent_id },
        headers: { authorization: `Bearer ${tenant.key}` },
        body: { message: 'hello' },
      });
      await response.arrayBuffer();
      return response.status;
    }),
  );

async function expectStillServing(agentId: string, expected: number[]): Promise<void> {
  const waits: number[] = [];
  while (waits.length < tries && !waits.some((ms) => ms < longestWaitMs)) {
    const { result: statuses, longestMs } = await probeDuring(service, () => invoke(agentId));
    for (const status of statuses) expect(expected).toContain(status);
    expect(await residentMemory(service.pid)).toBeLessThan(maxMemoryMb);
    waits.push(longestMs);
  }
  expect(Math.min(...waits)).toBeLessThan(longestWaitMs);
}

const newAgent = async (agent: NewAgent) =>
  (await tenant.newAgent({ timeoutMs: 30_000, ...agent })).id;

describe('an agent sends', () => {
  test.each(Object.keys(agents))('%s', async (name) => {
    const url = `${upstream.url}/agent/${name}`;
    await expectStillServing(
      await newAgent({ model: 'http/hostile', endpoint: { url } }),
      name === 'as-many-deltas-as-allowed' ? [200] : [200, 502],
    );
  });
});

describe('a model sends', () => {
  test.each(Object.keys(models))('%s', async (name) => {
    const hasSchema = name === 'json-in-pieces';
    const options: NewAgent['options'] = hasSchema
      ? { output: { schema: { type: 'object' } } }
      : {};
    // The library that parses the events takes 0.1 ms for each, so 200,000 of them take until the timeout.
    await expectStillServing(
      await newAgent({ model: `local/${name}`, options, timeoutMs: 5_000 }),
      [200, 502, 504],
    );
  });
});

async function apply(manifest: object): Promise<void> {
  const file = path.join(await temporaryFolder(), 'agent.yaml');
  await writeFile(file, stringify(manifest));
  const operator = operatorInProcess(observer, { ...settings() });
  const { code, stderr } = await operator.run(['agents', 'apply', '-f', file]);
  if (code !== 0) throw new Error(stderr);
}

describe('an MCP server has', () => {
  test.each([
    ['backtracking', 'letters', 200],
    ['unique-items', 'objects', 200],
    ['doubling-references', 'text', 200],
    ['many-items', 'text', 200],
    ['many-members', 'text', 200],
    ['endless-list', 'text', 502],
  ])('%s', async (name, model, status) => {
    const server = { name: 'hostile', url: `${upstream.url}/mcp/${name}`, allow: ['run'] };
    const agent = `mcp-${name}`;
    await apply({ name: agent, model: `local/${model}`, tools: { mcp: [server] } });
    await expectStillServing(agent, [status]);
  });
});

test('a tool repeats its secret before 2 MiB of letters', async () => {
  process.env['TOOL_TOKEN'] = token;
  const tool = {
    name: 'echo',
    description: 'Repeats.',
    url: `${upstream.url}/tool/echo`,
    headers: { Authorization: '${env:TOOL_TOKEN}' },
    parameters: { type: 'object', properties: { x: { type: 'string' } } },
  };
  await apply({ name: 'echoing', model: 'local/http', tools: { http: [tool] } });
  await expectStillServing('echoing', [200]);
});
