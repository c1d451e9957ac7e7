/** Each receiver in docs/webhooks.md runs unchanged, accepts a real delivery and rejects a forged one. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { signatureHeaders } from '../../../server/webhooks/deliveries/signature.js';
import { freePort } from '../../../server/lib/net/free-port.js';
import { useDeliveryTest } from '../../helpers/service/delivery.js';
import { eventually } from '../../helpers/eventually.js';
import { type Program, startCommand } from '../../helpers/programs/process.js';
import { root, temporaryFolder } from '../../helpers/programs/workspace.js';

const fixture = useDeliveryTest({ worker: {} });

const page = readFileSync(path.join(root, 'docs/webhooks.md'), 'utf8');

function sample(name: string): string {
  const [, code] =
    new RegExp(`<!-- sample: ${name} -->\\s+\`\`\`\\w+\\n([\\s\\S]+?)\\n\`\`\``).exec(page) ?? [];
  if (code === undefined) throw new Error(`docs/webhooks.md has no sample '${name}'.`);
  return `${code}\n`;
}

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
  const name = entry === nextServer ? 'next' : 'express';
  await writeFile(path.join(folder, 'sample.ts'), sample(name));
  await build({
    stdin: { contents: entry, resolveDir: folder, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: path.join(folder, 'sample.cjs'),
    nodePaths: [path.join(root, 'node_modules')],
    alias: { '@agent-hosting/client': path.join(root, 'client/src/webhooks.ts') },
    logLevel: 'error',
  });
  return [process.execPath, 'sample.cjs'];
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
      } finally {
        await program.end('SIGKILL');
      }
    },
    180_000,
  );
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
