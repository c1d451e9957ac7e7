/** The SDK with two real service processes, one of which is killed, behind a network that drops connections. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { agentHosting, type InvocationStream, UnavailableError } from '../../client/src/index.js';
import { type CuttingProxy, startCuttingProxy } from '../helpers/servers/cutting-proxy.js';
import { eventually } from '../helpers/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { environmentFor } from '../helpers/service/service.js';
import {
  answer,
  chatCompletions,
  slowCompletions,
} from '../helpers/model-provider/wire-formats.js';
import { createFakeModel } from './fake-model.js';
import { effectsOn, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();
const processes: ServiceProcess[] = [];
const proxies: CuttingProxy[] = [];

afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
  await Promise.all(processes.splice(0).map((service) => service.end('SIGKILL')));
});

async function start(): Promise<ServiceProcess> {
  const started = await startServiceProcess({
    environment: {
      ...environmentFor(fixture.service),
      LOCAL_BASE_URL: `${fixture.provider.url}/v1`,
      ALLOW_PRIVATE_TARGETS: 'true',
      WORKER: 'off',
    },
  });
  processes.push(started);
  return started;
}

async function startProxy(targets: ServiceProcess[], bytesUntilCut = () => Infinity) {
  const proxy = await startCuttingProxy({ targets: targets.map(({ url }) => url), bytesUntilCut });
  proxies.push(proxy);
  return proxy;
}

async function textOf(stream: InvocationStream): Promise<string> {
  let whole = '';
  for await (const { text } of stream) whole += text;
  return whole;
}

interface KilledStream {
  agentId: string;
  doomed: ServiceProcess;
  proxy: CuttingProxy;
  pieces: AsyncIterator<{ text: string }>;
  /** The request, which stays the same. */
  invoke: () => InvocationStream;
  model: ReturnType<typeof createFakeModel>;
  /** Lets the client send its second request. */
  letThrough: () => void;
}

/** A stream on the process to be killed that has sent "One ". Later requests wait until they are let through. */
async function begin(): Promise<KilledStream> {
  const [doomed, survivor] = [await start(), await start()];
  // The first connection goes to the second process, and each later one to the next that accepts.
  const proxy = await startProxy([survivor, doomed]);
  const model = createFakeModel();
  fixture.provider.behave(model.reply);
  const { id: agentId } = await fixture.newAgent();
  let letThrough: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  let requests = 0;
  const client = agentHosting({
    apiKey: fixture.tenant.key,
    baseUrl: proxy.url,
    maxRetries: 5,
    fetch: async (input, init) => {
      requests += 1;
      if (requests > 1) await gate;
      return fetch(input, init);
    },
  });
  const idempotencyKey = randomUUID();
  const invoke = () =>
    client.agents.invoke(agentId, { message: 'Hi' }, { stream: true, idempotencyKey });
  const pieces = invoke()[Symbol.asyncIterator]();
  const first = pieces.next();
  await model.say('One ');
  expect(await first).toMatchObject({ value: { text: 'One ' } });
  return { agentId, doomed, proxy, pieces, invoke, model, letThrough };
}

async function rest(pieces: AsyncIterator<{ text: string }>): Promise<string> {
  let text = '';
  for (;;) {
    const next = await pieces.next();
    if (next.done === true) return text;
    text += next.value.text;
  }
}

test('a text whose invocation was recorded is completed by the other instance', async () => {
  const { agentId, doomed, proxy, pieces, model, letThrough } = await begin();
  proxy.cutAll();
  const reading = rest(pieces);
  await model.say('two ', 'three');
  await model.finish();
  await eventually(async () => {
    expect(await effectsOn(fixture.service, agentId)).toEqual({ invocations: 1, memories: 2 });
  }, 30_000);
  await doomed.end('SIGKILL');
  letThrough();
  expect(await reading).toBe('two three');
  expect(fixture.provider.received).toHaveLength(1);
}, 180_000);

test('a text whose invocation was lost ends with a coded error, and its key is free', async () => {
  const { agentId, doomed, pieces, invoke, model, letThrough } = await begin();
  await model.say('two ');
  expect(await pieces.next()).toMatchObject({ value: { text: 'two ' } });
  await doomed.end('SIGKILL');
  letThrough();
  const failed: unknown = await pieces.next().catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(UnavailableError);
  expect(failed).toMatchObject({ code: 'unavailable', retryAfter: 1 });
  expect(fixture.provider.received).toHaveLength(1);
  fixture.provider.behave(answer(chatCompletions, ['Anew']));
  expect(await textOf(invoke())).toBe('Anew');
  expect(await effectsOn(fixture.service, agentId)).toEqual({ invocations: 1, memories: 2 });
}, 180_000);

test('whenever an instance is killed, a text is complete or ends with a coded error', async () => {
  const words = Array.from({ length: 100 }, (_, index) => `${index} `);
  const text = words.join('');
  fixture.provider.behave(slowCompletions(words, 30));
  const [doomed, survivor] = [await start(), await start()];
  const proxy = await startProxy([doomed, survivor]);
  const client = agentHosting({ apiKey: fixture.tenant.key, baseUrl: proxy.url, maxRetries: 5 });
  const { id } = await fixture.newAgent();
  const readers = 12;
  let begun = 0;
  let pieces = 0;
  const read = async () => {
    let read = '';
    const stream = client.agents.invoke(id, { message: 'Count' }, { stream: true });
    try {
      for await (const piece of stream) {
        if (read === '') begun += 1;
        read += piece.text;
        pieces += 1;
      }
      return { read, error: undefined };
    } catch (error) {
      return { read, error };
    }
  };
  const reading = Array.from({ length: readers }, read);
  const moment = readers + Math.floor(Math.random() * 30);
  await eventually(() => {
    // Texts of both instances are under way.
    expect(begun).toBe(readers);
    expect(pieces).toBeGreaterThan(moment);
  });
  await doomed.end('SIGKILL');
  const outcomes = await Promise.all(reading);
  const failed = outcomes.filter(({ error }) => error !== undefined);
  const complete = outcomes.filter(({ error }) => error === undefined);
  expect(complete.map(({ read: found }) => found)).toEqual(complete.map(() => text));
  expect(failed.every(({ error }) => error instanceof UnavailableError)).toBe(true);
  expect(failed.every(({ read: found }) => text.startsWith(found))).toBe(true);
  // Both outcomes occurred.
  expect(complete.length).toBeGreaterThan(0);
  expect(failed.length).toBeGreaterThan(0);
}, 180_000);

test('after 60 random disconnects under load no text is lost or duplicated', async () => {
  const wanted = 60;
  const words = Array.from({ length: 100 }, (_, index) => `${index} `);
  fixture.provider.behave(slowCompletions(words, 15));
  const proxy: CuttingProxy = await startProxy([await start(), await start()], () =>
    // Enough for the head of a response; the last event, with the whole text, takes several attempts.
    proxy.cuts() < wanted ? 650 + Math.floor(Math.random() * 800) : Infinity,
  );
  const client = agentHosting({ apiKey: fixture.tenant.key, baseUrl: proxy.url, maxRetries: 30 });
  const { id } = await fixture.newAgent();
  const texts: string[] = [];
  const reader = async () => {
    while (proxy.cuts() < wanted) {
      const stream = client.agents.invoke(id, { message: 'Count' }, { stream: true });
      texts.push(await textOf(stream));
      expect((await stream.result()).response).toBe(words.join(''));
    }
  };
  await Promise.all(Array.from({ length: 16 }, reader));
  expect(proxy.cuts()).toBeGreaterThanOrEqual(wanted);
  expect(new Set(texts)).toEqual(new Set([words.join('')]));
  expect(await effectsOn(fixture.service, id)).toEqual({
    invocations: texts.length,
    memories: 2 * texts.length,
  });
  expect(fixture.provider.received).toHaveLength(texts.length);
}, 300_000);
