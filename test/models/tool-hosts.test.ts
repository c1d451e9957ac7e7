/** Calls to one host are limited, fairly by account; a call that is never sent is said to have had no effect. */
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { startHttpServer } from '../helpers/servers/http-server.js';
import { useFixture } from '../helpers/service/fixture.js';
import { openTools } from '../../server/models/tools/open-tools.js';
import type { Tool } from '../../server/models/tools/tool.js';
import { createToolbox } from '../../server/models/tools/toolbox.js';
import { requestedBy } from './answering-toolbox.js';

/** What the limit leaves to a single account. */
const share = 32;

const hanging: ServerResponse[] = [];
const host = useFixture(
  () =>
    startHttpServer((req, res) => {
      if (req.url === '/quick') res.end('Quick.');
      else hanging.push(res);
    }),
  (server) => server.stop(),
);

const hangs = (calls: number) =>
  eventually(() => {
    expect(hanging).toHaveLength(calls);
  }, 60_000);

afterEach(() => {
  for (const response of hanging.splice(0)) response.end('Late.');
});

/** A tool that hangs and one that does not, called with `call`. */
async function toolsOf(queueKey: string, timeout = '30s') {
  const signal = new AbortController().signal;
  const definition = {
    description: '',
    method: 'GET' as const,
    parameters: { type: 'object' as const },
  };
  const url = (path: string) => `http://127.0.0.1:${host.port}/${path}`;
  const http = ['slow', 'quick'].map((name) => ({ ...definition, name, url: url(name), timeout }));
  const policy = { queueKey, allowPrivate: true };
  const { tools } = await openTools({ tools: { maxSteps: 5, http } }, policy, signal);
  // Arguments are checked in another thread, which is not the subject here.
  const call = (name: string) =>
    find(tools, name).call({}, signal, {
      id: 'call_1',
      key: 'req.call_1',
      traceHeaders: {},
      trace: undefined,
    });
  const toolbox = createToolbox(
    tools,
    { maxSteps: 5 },
    {
      queueKey,
      conversationId: 'req_1',
      beforeCalls: () => Promise.resolve(),
      onInterrupted: () => undefined,
      onStart: () => undefined,
      onEnd: () => undefined,
      onUnknown: () => undefined,
    },
  );
  const ask = async (name: string) => {
    const requested = requestedBy(toolbox, [{ id: 'c1', name, arguments: {} }]);
    const outcome = await toolbox.call(requested, signal);
    return 'results' in outcome ? outcome.results[0] : outcome;
  };
  return { call, ask };
}

function find(tools: Tool[], name: string): Tool {
  const tool = tools.find((own) => own.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
}

test("one account's slow calls neither exceed its share nor block another account", async () => {
  const [one, other] = await Promise.all([toolsOf('acc_1'), toolsOf('acc_2')]);
  const slow = Array.from({ length: share + 8 }, () => one.call('slow'));
  await hangs(share);
  expect(await other.call('quick')).toBe('Quick.');
  expect(hanging).toHaveLength(share);
  for (const response of hanging.splice(0)) response.end('Late.');
  await hangs(8);
  for (const response of hanging.splice(0)) response.end('Late.');
  expect(await Promise.all(slow)).toEqual(slow.map(() => 'Late.'));
});

test('a call that waits until its timeout is told to the model as not sent', async () => {
  const one = await toolsOf('acc_1');
  const slow = Array.from({ length: share }, () => one.call('slow'));
  await hangs(share);
  const impatient = await toolsOf('acc_1', '300ms');
  expect(await impatient.ask('quick')).toMatchObject({
    succeeded: false,
    text: `Not sent: too many calls to 127.0.0.1:${host.port} were running for 300 ms. The call had no effect.`,
  });
  for (const response of hanging.splice(0)) response.end('Late.');
  await Promise.all(slow);
  expect(await impatient.ask('quick')).toMatchObject({ succeeded: true, text: 'Quick.' });
});

test('a call that was sent is still said to have possibly taken effect', async () => {
  const { ask } = await toolsOf('acc_1', '300ms');
  expect(await ask('slow')).toMatchObject({
    text: 'There was no result within 300 ms. The call may have taken effect.',
  });
});
