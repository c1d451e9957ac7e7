/** HTTP agents: how they are called, and how their responses are interpreted. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { AgentEndpoint } from '../../server/contract/agent-options.js';
import { ModelFailure, type Chunk, type Prompt } from '../../server/models/model.js';
import { httpAgent } from '../../server/models/providers/http.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import { countNothing } from './conversation.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import { useModelProvider } from '../helpers/model-provider/use-model-provider.js';

const agent = useModelProvider();

const prompt: Prompt = {
  instructions: 'For language models only.',
  temperature: 1,
  history: [{ role: 'user', content: 'Hi' }],
  message: 'Where is my order?',
  context: { user_id: 'user-1', plan: 'gold' },
  agent: { id: 'agent_1', name: 'support-bot' },
  requestId: 'req_1',
};

async function ask(
  endpoint: Partial<AgentEndpoint> = {},
  { allowPrivate = true } = {},
): Promise<Chunk[]> {
  const model = httpAgent({ url: `${agent.url}/agent?v=2`, ...endpoint }, { allowPrivate });
  const pieces: Chunk[] = [];
  for await (const piece of model.generate(prompt, new AbortController().signal, countNothing))
    pieces.push(piece);
  return pieces;
}

function json(body: unknown, code = 200): Behaviour {
  return (res) => {
    res.writeHead(code, { 'content-type': 'application/json; charset=utf-8' });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

function events(...lines: string[]): Behaviour {
  return (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    res.end(lines.join('\n'));
  };
}

describe('the call', () => {
  test('contains message, context, history, agent and request id, and nothing else', async () => {
    agent.behave(json({ response: 'Yes' }));
    await ask();
    expect(agent.received[0]).toMatchObject({
      path: '/agent?v=2',
      headers: { 'content-type': 'application/json' },
    });
    expect(agent.received[0]?.body).toEqual({
      message: 'Where is my order?',
      context: { user_id: 'user-1', plan: 'gold' },
      history: [{ role: 'user', content: 'Hi' }],
      agent: { id: 'agent_1', name: 'support-bot' },
      request_id: 'req_1',
    });
  });

  test('has headers whose secrets are read from the environment and from files', async () => {
    const file = path.join(await temporaryFolder(), 'token');
    await writeFile(file, 'from-a-file\n');
    process.env['TEST_AGENT_TOKEN'] = 'from-the-environment';
    agent.behave(json({ response: 'Yes' }));
    await ask({
      headers: { Authorization: '${env:TEST_AGENT_TOKEN}', 'X-Token': `\${file:${file}}` },
    });
    expect(agent.received[0]?.headers).toMatchObject({
      authorization: 'from-the-environment',
      'x-token': 'from-a-file',
    });
  });

  test.each([
    ['${env:TEST_NO_SUCH_VARIABLE}', 'The variable TEST_NO_SUCH_VARIABLE is not set.'],
    ['${file:/no/such/file}', 'The file /no/such/file cannot be read (ENOENT).'],
    ['a secret in plain text', 'A secret must be named as ${env:NAME} or ${file:path}.'],
  ])('is not made with the header %s', async (reference, reason) => {
    agent.behave(json({ response: 'Yes' }));
    const asking = ask({ headers: { Authorization: reference } });
    await expect(asking).rejects.toMatchObject({
      message: `a header of the endpoint: ${reason}`,
      retryable: false,
    });
    expect(agent.received).toHaveLength(0);
  });

  test.each(['http://127.0.0.1:8000/', 'https://127.0.0.1/', 'https://169.254.169.254/latest'])(
    'is not made to %s unless the operator allows it',
    async (url) => {
      const asking = ask({ url }, { allowPrivate: false });
      await expect(asking).rejects.toMatchObject({ retryable: false });
      await expect(asking).rejects.toThrow(/^the endpoint was refused: it must/);
    },
  );

  test('is not made without its configured client certificate', async () => {
    const clientCertificate = { certFile: '/no/such.pem', keyFile: '/no/such.key' };
    await expect(ask({ clientCertificate })).rejects.toMatchObject({
      message: "the endpoint's headers or certificate cannot be used (ENOENT)",
      retryable: false,
    });
  });
});

describe('the response', () => {
  test('can be a JSON object', async () => {
    agent.behave(json({ response: 'On its way.', tokens_used: 12, more: 'is ignored' }));
    expect(await ask()).toEqual([{ status: 200 }, { tokensUsed: 12 }, { text: 'On its way.' }]);
  });

  test('does not need token counts', async () => {
    agent.behave(json({ response: 'On its way.' }));
    expect(await ask()).toEqual([{ status: 200 }, { text: 'On its way.' }]);
  });

  test('can be a stream of events, in any form that the standard allows', async () => {
    agent.behave(
      events(
        ': welcome\r',
        'event: delta\r\ndata: {"text":\r\ndata: "On "}\r\n\r',
        'id: 7\nevent:delta\ndata:{"text":"its way."}\n',
        'event: unknown\ndata: {}\n',
        'event: done\ndata: {"response":"On its way.","tokens_used":3}\n\n',
      ),
    );
    expect(await ask()).toEqual([
      { status: 200 },
      { text: 'On ' },
      { text: 'its way.' },
      { tokensUsed: 3 },
    ]);
  });

  test('can be a single done event that contains everything', async () => {
    agent.behave(events('event: done', 'data: {"response":"Whole","tokens_used":1}', '', ''));
    expect(await ask()).toEqual([{ status: 200 }, { tokensUsed: 1 }, { text: 'Whole' }]);
  });

  const wrong: [string, Behaviour][] = [
    ['no JSON', json('nonsense')],
    ['JSON without a response', json({ answer: 'Yes' })],
    ['a response that is not a string', json({ response: 7 })],
    ['an invalid token count', json({ response: 'Yes', tokens_used: -1 })],
    ['a stream without an end event', events('event: delta', 'data: {"text":"Yes"}', '', '')],
    ['an unfinished end event', events('event: done', 'data: {"tokens_used":1}')],
    ['a delta without text', events('event: delta', 'data: {}', '', '')],
    ['nothing', (res) => void res.writeHead(200).end()],
    ['a redirect', (res) => void res.writeHead(302, { location: '/elsewhere' }).end()],
  ];
  test.each(wrong)('is a failure if it is %s', async (_, behaviour) => {
    agent.behave(behaviour);
    await expect(ask()).rejects.toBeInstanceOf(ModelFailure);
    expect(agent.received).toHaveLength(1);
  });

  test('is a failure if it reports an error', async () => {
    agent.behave(events('event: error', 'data: {"code":"server_error","message":"x"}', '', ''));
    await expect(ask()).rejects.toMatchObject({ rateLimited: false, retryable: true });
  });

  test('with a rate limit says when to retry', async () => {
    agent.behave(events('event: error', 'data: {"code":"rate_limited","retry_after":7}', '', ''));
    await expect(ask()).rejects.toMatchObject({ rateLimited: true, retryAfterMs: 7_000 });
  });

  test('without an end is cut off when it exceeds the size limit', async () => {
    agent.behave((res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const chunk = 'x'.repeat(1_000_000);
      const writeForever = () => {
        while (!res.destroyed && res.write(chunk));
        if (!res.destroyed) res.once('drain', writeForever);
      };
      writeForever();
    });
    await expect(ask()).rejects.toMatchObject({
      message: "the agent's response is too long",
      retryable: false,
    });
    await agent.received[0]?.closed;
  });
});
