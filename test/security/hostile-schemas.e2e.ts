/** Schemas designed to block the service: of an MCP server or a manifest, together with a hostile model. */
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { useFixture } from '../helpers/service/fixture.js';
import { startHttpServer } from '../helpers/servers/http-server.js';
import { loopTime } from '../helpers/programs/processor-time.js';
import { bodyOf, useToolFixtures } from '../invocations/tool-fixtures.js';
import { message, recordsOf } from '../invocations/service-with-model.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';

const { fixture, apply, scriptModel, results, logOfFailure } = useToolFixtures();

/** Offers one tool with any schema, using a minimal part of the protocol. */
const hostile = useFixture(
  async () => {
    // As text, because such deep nesting cannot be serialised.
    const state = { schema: '{"type":"object"}', calls: 0 };
    const server = await startHttpServer((req, res) => {
      void (async () => {
        if (req.method !== 'POST') return res.writeHead(405).end();
        const { id, method } = (await json(req)) as { id?: number; method: string };
        if (id === undefined) return res.writeHead(202).end();
        if (method === 'tools/call') state.calls += 1;
        res.writeHead(200, { 'content-type': 'application/json' });
        return res.end(`{"jsonrpc":"2.0","id":${id},"result":${resultOf(method, state.schema)}}`);
      })();
    });
    return Object.assign(state, server);
  },
  (server) => server.stop(),
);

function resultOf(method: string, schema: string): string {
  if (method === 'tools/list') return `{"tools":[{"name":"run","inputSchema":${schema}}]}`;
  return JSON.stringify(
    method === 'initialize'
      ? {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'hostile', version: '1' },
        }
      : { content: [{ type: 'text', text: 'Done.' }] },
  );
}

const manifestOf = (name: string, more: object = {}) => ({
  name,
  model: 'local/llama3.2',
  // A separate server, since tool lists are cached.
  tools: {
    mcp: [{ name: 'hostile', url: `${hostile.url}/${name}`, allow: ['run'], timeout: '30s' }],
  },
  ...more,
});

const object = (x: object) => ({ type: 'object', properties: { x } });
const endless = { type: 'string', pattern: '^(a+)+$' };
const doubled = (levels: number) => ({
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, level) => {
      const $ref = `#/$defs/${level - 1}`;
      return [level, level === 0 ? { type: 'string' } : { allOf: [{ $ref }, { $ref }] }];
    }),
  ),
  properties: { x: { $ref: `#/$defs/${levels - 1}` } },
});
const manyProperties = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
  ),
};
const tooManyItems = {
  type: 'object',
  properties: { n: { enum: Array.from({ length: 5_100 }, (_, index) => index) } },
};
const deep = (levels: number) =>
  `${'{"type":"object","properties":{"x":'.repeat(levels)}{}${'}}'.repeat(levels)}`;

/** Each with a value whose validation takes very long. */
const slow: [string, object, unknown][] = [
  ['a backtracking pattern', object(endless), `${'a'.repeat(29)}!`],
  [
    'a comparison of 20,000 objects',
    object({ uniqueItems: true }),
    Array.from({ length: 20_000 }, (_, index) => ({ n: index })),
  ],
  ['exponentially growing references', { type: 'object', ...doubled(40) }, 'x'],
];

/** The most event loop time that a request to /healthz waits for during the work, in ms. */
async function slowestProbe(work: Promise<unknown>): Promise<number> {
  const state = { isOver: false };
  const ending = work.finally(() => {
    state.isOver = true;
  });
  let longest = 0;
  while (!state.isOver) {
    const startedAt = loopTime();
    expect((await fetch(`${fixture.service.url}/healthz`)).status).toBe(200);
    longest = Math.max(longest, loopTime() - startedAt);
    await delay(5);
  }
  await ending;
  return longest;
}

/** The time limit of a check. On the event loop, a slow check would block it for at least this long. */
const maxProbeMs = 1_000;

describe('a tool of an MCP server whose schema has', () => {
  test.each(slow)('%s fails when it is called', async (title, schema, x) => {
    hostile.schema = JSON.stringify(schema);
    hostile.calls = 0;
    const name = `slow-${title.replaceAll(/\W+/g, '-')}`;
    expect(await apply(manifestOf(name))).toMatchObject({ code: 0 });
    scriptModel([{ name: 'hostile_run', arguments: { x } }], 'Sorry.');
    const invoked = fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Go.'));
    expect(await slowestProbe(invoked)).toBeLessThan(maxProbeMs);
    expect(results()).toEqual([
      'Not called: the schema of its arguments takes longer than 1000 ms to check.',
    ]);
    expect(hostile.calls).toBe(0);
  });

  test.each([
    ['20,000 properties', JSON.stringify(manyProperties), 'has more than 5000 properties'],
    ['many levels', deep(10_000), 'is nested more than 64 levels deep'],
    ['long texts', JSON.stringify({ type: 'object', title: 'x'.repeat(70_000) }), 'has 70'],
  ])('%s is rejected when it is applied, and withdrawn later', async (title, schema, reason) => {
    hostile.schema = schema;
    const name = `large-${title.replaceAll(/\W+/g, '-')}`;
    const { code, stderr } = await apply(manifestOf(name));
    expect(code).toBe(2);
    expect(stderr).toContain(`tools.mcp.0.allow names 'run', whose schema ${reason}`);

    hostile.schema = '{"type":"object","properties":{}}';
    expect(await apply(manifestOf(name))).toMatchObject({ code: 0 });
    hostile.schema = schema;
    scriptModel('I cannot.');
    const invoked = fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Go.'));
    expect(await slowestProbe(invoked)).toBeLessThan(maxProbeMs);
    expect(bodyOf(fixture.provider.received[0])).not.toHaveProperty('tools');
    const { logs } = await recordsOf(fixture.service, (await invoked).data.request_id);
    expect(logs.find(({ level }) => level === 'warn')?.message).toContain(
      `Tool hostile_run is withdrawn: its schema ${reason}`,
    );
  });
});

describe('output.schema with', () => {
  const failsWith = async (schema: object, response: string) => {
    const agent = await fixture.newAgent({
      options: { output: { schema: { type: 'object', ...schema } } },
    });
    scriptModel(response);
    const invoked = logOfFailure(message(agent.id, 'Go.'));
    expect(await slowestProbe(invoked)).toBeLessThan(maxProbeMs);
    expect(fixture.provider.received).toHaveLength(1);
    return invoked;
  };

  test.each(slow)('%s fails the invocation', async (_, schema, x) => {
    expect(await failsWith(schema, JSON.stringify({ x }))).toMatch(
      /the response cannot be checked: output\.schema takes longer than 1000 ms to check$/,
    );
  });

  test('20,000 properties, stored before there was a limit, fails the invocation', async () => {
    expect(await failsWith(manyProperties, '{}')).toMatch(
      /output\.schema (takes longer than 1000 ms to check|is not a valid JSON Schema: .*)$/,
    );
  });
});

test.each([
  ['output.schema', { tools: undefined, output: { schema: tooManyItems } }],
  [
    'tools.http.0.parameters',
    {
      tools: {
        http: [
          {
            name: 'run',
            description: 'Runs.',
            url: 'https://api.acme.example/',
            parameters: tooManyItems,
          },
        ],
      },
    },
  ],
])('a manifest whose %s is too large is rejected', async (field, more) => {
  const { code, stderr } = await apply(manifestOf('too-large', more));
  expect(code).toBe(2);
  expect(stderr).toContain(`${field} has more than 5000 properties and items`);
});

test('slow checks of one account do not delay another', async () => {
  hostile.schema = JSON.stringify(object(endless));
  expect(await apply(manifestOf('busy'))).toMatchObject({ code: 0 });
  const other = await fixture.service.tenant();
  const ordinary = await other.newAgent({
    model: 'local/llama3.2',
    options: { output: { schema: { type: 'object' } } },
  });
  const call = { name: 'hostile_run', arguments: { x: `${'a'.repeat(29)}!` } };
  scriptModel(Array(4).fill(call), 'Sorry.');
  let isOver = false;
  const busy = fixture.tenant.api
    .expect('invokeAgent', 200, message('busy', 'Go.'))
    .finally(() => (isOver = true));
  await fixture.provider.asked(1);
  fixture.provider.behave(answer(chatCompletions, ['{"a":1}']));
  const { data } = await other.api.expect('invokeAgent', 200, message(ordinary.id, 'Go.'));
  expect(data.response).toBe('{"a":1}');
  expect(isOver).toBe(false);
  await busy;
});

test('arguments of a tool that are nested too deeply fail the invocation', async () => {
  hostile.schema = '{"type":"object","properties":{}}';
  expect(await apply(manifestOf('deep-arguments'))).toMatchObject({ code: 0 });
  scriptModel([{ name: 'hostile_run', arguments: deep(10_000) }]);
  expect(await logOfFailure(message('deep-arguments', 'Go.'))).toMatch(
    /the input of a tool call is nested more than 64 levels deep$/,
  );
});

test('65 kB in small pieces do not block the service', async () => {
  const items = Array.from({ length: 6_500 }, (_, index) => String(index).padStart(7, '0'));
  const text = JSON.stringify({ items });
  const schema = { type: 'object' as const, properties: { items: { type: 'array' } } };
  const { id } = await fixture.newAgent({ timeoutMs: 170_000, options: { output: { schema } } });
  fixture.provider.behave(async (res) => sayInPieces(res, text));
  const invoked = fixture.tenant.api.expect('invokeAgent', 200, message(id, 'All of it.'));
  expect(await slowestProbe(invoked)).toBeLessThan(maxProbeMs);
  expect((await invoked).data.response).toBe(text);
});

/** With pauses, since the provider shares the event loop with the service here. */
async function sayInPieces(res: ServerResponse, text: string): Promise<void> {
  const pieces = text.match(/.{1,16}/g) ?? [];
  while (pieces.length > 0) {
    chatCompletions.say(res, pieces.splice(0, 100));
    await delay(1);
  }
  chatCompletions.finish(res, { input: 5, output: 5 });
}
