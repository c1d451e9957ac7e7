/** The SDK is small, and uses only APIs that browsers, Deno, Bun and edge runtimes have too. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { signatureHeaders } from '../../server/webhooks/deliveries/signature.js';
import { run } from '../../scripts/lib/child.js';
import { root, temporaryFolder } from '../helpers/programs/workspace.js';
import { dataResponse, serverSentEvent, eventStream, useStubServer } from './stub-server.js';

const server = useStubServer();

/** Bundles a program and the SDK into one file. Node modules would fail to resolve. */
async function bundle(program: string, options: object = {}): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: path.join(root, 'client/src'), loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
    ...options,
  });
  return outputFiles[0]?.text ?? '';
}

const gzippedSize = (code: string) => gzipSync(code, { level: 9 }).length;

describe('The size, minified and gzipped, with the used part of openapi-fetch,', () => {
  // The core is the fluent client: every operation, retries, time-outs, streams, approvals, lists, and a class for each error.
  test.each([
    ['of the core', `export { agentHosting } from './index.js'`, 8_210],
    ['of the plain client', `export { createClient, unwrap } from './index.js'`, 5_400],
    ['of the webhook verification', `export { verifyWebhook } from './index.js'`, 1_150],
    ['of everything', `export * from './index.js'`, 9_370],
  ])('%s is within its limit', async (_name, program, limit) => {
    const bytes = gzippedSize(await bundle(program));
    expect(bytes).toBeGreaterThan(500);
    expect(bytes).toBeLessThanOrEqual(limit);
  });
});

/** A program that uses each part of the SDK that depends on the runtime. */
const exercise = (settings: object) => `
  import { agentHosting, createClient, verifyWebhook } from './index.js';
  const { options, delivery, report } = ${JSON.stringify(settings)};
  const client = agentHosting(options);
  const seen = [];
  const stream = client.agents.invoke('bot', { message: 'Hi' }, { stream: true });
  for await (const { text } of stream) seen.push(text);
  seen.push((await client.agents.get('bot')).id);
  seen.push((await createClient(options).GET('/v1/agents')).data.data.id);
  seen.push((await verifyWebhook(delivery.body, delivery.headers, delivery.secret)).type);
  try { agentHosting(); } catch (error) { seen.push(error.message); }
  if (report) globalThis.report(seen); else console.log(JSON.stringify(seen));`;

const expected = [
  'Hi',
  'agent_1',
  'agent_1',
  'agent.completed',
  'Set apiKey or AGENT_HOSTING_API_KEY.',
];

function settings(report: boolean) {
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const body = '{"type":"agent.completed"}';
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = signatureHeaders(secret, { id: 'evt_1', timestamp, body: Buffer.from(body) });
  server.respondWith(
    eventStream(
      [serverSentEvent('delta', { text: 'Hi' }), serverSentEvent('done', { response: 'Hi' })],
      'end',
    ),
    dataResponse({ id: 'agent_1' }),
  );
  const options = { apiKey: 'key', baseUrl: server.url };
  return { options, delivery: { body, headers, secret }, report };
}

/** The globals of an edge runtime: no process, no Buffer, no code from strings. */
const webGlobals = {
  AbortController,
  AbortSignal,
  FormData,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextDecoderStream,
  TextEncoder,
  URL,
  atob,
  clearTimeout,
  crypto,
  fetch,
  setTimeout,
};

describe('The SDK runs', () => {
  test('with web standards only', async () => {
    // A module without exports is a script, except for its top-level await.
    const script = await bundle(exercise(settings(true)));
    const seen = await new Promise((resolve, reject) => {
      const context = vm.createContext(
        { ...webGlobals, report: resolve },
        { codeGeneration: { strings: false, wasm: false } },
      );
      const run = vm.runInContext(`(async () => {${script}})()`, context) as Promise<void>;
      run.catch(reject);
    });
    expect(seen).toEqual(expected);
  });

  for (const [runtime, ...args] of [
    ['deno', 'run', '--allow-net', '--allow-env'],
    ['bun', 'run'],
  ] as const) {
    const isInstalled = spawnSync(runtime, ['--version'], { stdio: 'ignore' }).status === 0;
    (isInstalled ? test : test.skip)(`in ${runtime}`, async () => {
      const file = path.join(await temporaryFolder(), 'exercise.mjs');
      await writeFile(file, await bundle(exercise(settings(false))));
      const env = { ...process.env, AGENT_HOSTING_API_KEY: '' };
      const { stdout } = await run(runtime, [...args, file], { env });
      expect(JSON.parse(stdout)).toEqual(expected);
    });
  }
});
