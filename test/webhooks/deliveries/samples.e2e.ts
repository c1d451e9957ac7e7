/** Each receiver in docs/webhooks.md runs unchanged, accepts a real delivery and rejects a forged one. */
import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { signatureHeaders } from '../../../server/webhooks/deliveries/signature.js';
import { freePort } from '../../../server/lib/net/free-port.js';
import { useDeliveryTest } from '../../helpers/service/delivery.js';
import { eventually } from '../../helpers/eventually.js';
import { type Program, startCommand } from '../../helpers/programs/process.js';
import { bundleSample, sampleIn } from '../../helpers/programs/samples.js';
import { temporaryFolder } from '../../helpers/programs/workspace.js';

const fixture = useDeliveryTest({ worker: {} });

const sample = (name: string) => sampleIn('docs/webhooks.md', name);

/** A minimal version of how Next.js calls a route handler. */
const nextServer = `
  import http from 'node:http';
  import { Readable } from 'node:stream';
  import { POST } from './sample.ts';
  http.createServer(async (incoming, outgoing) => {
    const request = new Request('http://localhost' + incoming.url, {
      method: incoming.method, headers: incoming.headers, body: Readable.toWeb(incoming), duplex: 'half',
    });
    const response = await POST(request);
    outgoing.writeHead(response.status).end();
  }).listen(Number(process.env.PORT));`;

/** How to run each sample: the command, from the folder that holds it. */
const commands: Record<string, (folder: string) => Promise<[string, ...string[]]>> = {
  express: (folder) => bundle(folder, `import './sample.ts';`),
  next: (folder) => bundle(folder, nextServer),
  python: async (folder) => {
    await writeFile(path.join(folder, 'sample.py'), sample('python'));
    return ['python3', 'sample.py'];
  },
  go: async (folder) => {
    await writeFile(path.join(folder, 'sample.go'), sample('go'));
    await promisify(execFile)('go', ['build', '-o', 'sample', 'sample.go'], {
      cwd: folder,
      env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' },
    });
    return [path.join(folder, 'sample')];
  },
};

async function bundle(folder: string, entry: string): Promise<[string, ...string[]]> {
  const code = sample(entry === nextServer ? 'next' : 'express');
  return [process.execPath, await bundleSample({ folder, code, entry })];
}

const isInstalled = (command: string, ...args: string[]) =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

const needed: Record<string, boolean> = {
  express: true,
  next: true,
  python: isInstalled('python3', '--version'),
  go: isInstalled('go', 'version'),
};

for (const [name, prepare] of Object.entries(commands)) {
  const run = needed[name] === true ? test : test.skip;
  run(
    `the receiver in ${name} accepts a real delivery once, and rejects changed ones`,
    async () => {
      const url = `http://127.0.0.1:${await freePort()}/hook`;
      const { id, secret } = await fixture.webhook(url);
      const folder = await temporaryFolder();
      const program = await startSample(await prepare(folder), folder, url, secret);
      try {
        const event = await fixture.send([id], { response: 'Grüße 🐘' });
        expect(await fixture.tried(event.id)).toMatchObject({
          status: 'succeeded',
          lastStatusCode: 204,
        });
        await fixture.database.prisma.delivery.updateMany({
          where: { eventId: event.id },
          data: { status: 'pending', attempts: 0 },
        });
        await fixture.passPauses();
        expect(await fixture.tried(event.id)).toMatchObject({ status: 'succeeded' });
        await eventually(() => {
          expect(program.stdout()).toContain('agent.completed');
        });
        expect(program.stdout()).toBe(`agent.completed ${event.requestId}\n`);
        await post(url, secret, pausedEvent);
        await eventually(() => {
          expect(program.stdout()).toContain('agent.paused req_7\nto decide: call_1 refund\n');
        });
      } finally {
        await program.end('SIGKILL');
      }
    },
    180_000,
  );
}

const pausedEvent = JSON.stringify({
  id: 'evt_7',
  type: 'agent.paused',
  data: { request_id: 'req_7', approvals: [{ call_id: 'call_1', tool: 'refund', arguments: {} }] },
});

async function post(url: string, secret: string, event: string): Promise<void> {
  const body = Buffer.from(event);
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = signatureHeaders(secret, { id: 'evt_7', timestamp, body });
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  expect(status).toBe(204);
}

/** Starts the sample, and waits until it rejects unsigned, changed and outdated deliveries. */
async function startSample(
  [command, ...args]: [string, ...string[]],
  cwd: string,
  url: string,
  secret: string,
): Promise<Program> {
  const program = startCommand(command, args, {
    cwd,
    environment: { ...process.env, PORT: new URL(url).port, WEBHOOK_SECRET: secret },
  });
  const genuine = Buffer.from('{"id":"evt_1","type":"agent.completed"}');
  const now = Math.floor(Date.now() / 1000);
  const signed = (timestamp: number) =>
    signatureHeaders(secret, { id: 'evt_1', timestamp, body: genuine });
  const forgeries = [
    { headers: {}, body: genuine },
    { headers: signed(now), body: Buffer.from(genuine.toString().replace('evt_1', 'evt_2')) },
    { headers: signed(now - 600), body: genuine },
  ];
  await eventually(async () => {
    for (const { headers, body } of forgeries) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      expect(response.status).toBe(401);
    }
  }, 30_000);
  return program;
}
