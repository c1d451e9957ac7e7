/** Keys from the command line: made, listed, rotated without losing one, and revoked. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { agentHosting } from '../../client/src/index.js';
import { eventually } from '../helpers/eventually.js';
import { startTestService, type Tenant, type TestService } from '../helpers/service.js';
import { createShell, type Outcome, type Setting, type Shell } from './shell.js';

let service: TestService;
let tenant: Tenant;
let shell: Shell;

beforeAll(async () => {
  [service, shell] = await Promise.all([startTestService(), createShell()]);
});

beforeEach(async () => {
  tenant = await service.tenant();
});

afterAll(() => service.stop());

function environment(key: string, url: string): Setting {
  return { env: { AGENT_HOSTING_API_KEY: key, AGENT_HOSTING_BASE_URL: url } };
}

/** With the tenant's key from the environment. */
function ah(...args: string[]): Promise<Outcome> {
  return shell.run(args, environment(tenant.key, service.url));
}

async function works(apiKey: string): Promise<boolean> {
  const client = agentHosting({ apiKey, baseUrl: service.url, maxRetries: 0 });
  return client.agents
    .list()
    .page()
    .then(
      () => true,
      () => false,
    );
}

async function ended(apiKey: string): Promise<void> {
  await eventually(async () => {
    expect(await works(apiKey)).toBe(false);
  });
}

describe('keys', () => {
  test('are made by role, listed and revoked; only the key goes to standard output', async () => {
    const agent = await tenant.newAgent();
    const made = await ah(
      'keys',
      'create',
      '--name',
      'CI',
      '--role',
      'developer',
      '--agent',
      agent.name,
      '--expires',
      '30d',
    );
    expect(made.stdout).toMatch(/^ahs_\w{46}\n$/);
    const [, id = ''] = /Its id is (key_\w+)\./.exec(made.stderr) ?? [];
    const listed = await ah('keys', 'list', '--agent', agent.name, '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { id, name: 'CI', agent_id: agent.id, expires_at: expect.any(String) },
    ]);
    expect((await ah('keys', 'list')).stdout).toMatch(new RegExp(`^CI +read,write .* ${id}$`, 'm'));
    expect(await ah('keys', 'revoke', id)).toMatchObject({
      code: 0,
      stdout: `${id} no longer works.\n`,
    });
    await ended(made.stdout.trim());
    expect((await ah('keys', 'revoke', id)).code).toBe(4);
  });

  test('that are unknown cannot be rotated', async () => {
    const unknown = await ah('keys', 'rotate', 'key_01m3v7xjz0etnv3twffmsrhx7s');
    expect(unknown.code).toBe(4);
    expect(unknown.stderr).toContain('agent-hosting keys list shows their ids.');
  });
});

describe('a rotation', () => {
  test('makes the same key anew, ends the old one, and leaves the profile working', async () => {
    const old = await tenant.newKey({ name: 'mine' });
    await shell.login(service.url, old.key);
    const rotated = await shell.run(['keys', 'rotate', old.id, '--json']);
    const made = JSON.parse(rotated.stdout) as { key: string };
    expect(made).toMatchObject({
      name: 'mine',
      permissions: expect.arrayContaining(['read', 'write', 'delete', 'manage']),
      replaces: { id: old.id, works_until: null },
    });
    expect(await works(made.key)).toBe(true);
    await ended(old.key);
    expect((await shell.run(['agents', 'list'])).code).toBe(0);
  });

  test('with a grace keeps the old key until then; the first keys command after that ends it', async () => {
    const old = await tenant.newKey();
    const rotated = await ah('keys', 'rotate', old.id, '--grace', '24h');
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ahs_\w+\n$/) });
    expect(rotated.stderr).toContain(`${old.id} works until `);
    const listed = await ah('keys', 'list');
    expect(listed.stdout).toMatch(new RegExp(` \\d{4}-\\S+ \\S+Z +${old.id}$`, 'm'));
    expect(await works(old.key)).toBe(true);

    const another = await tenant.newKey();
    await ah('keys', 'rotate', another.id, '--grace', '1s');
    const later = await eventually(async () => {
      const { stderr } = await ah('keys', 'list');
      expect(stderr).toBe(`The grace of ${another.id} is over: it no longer works.\n`);
      return ah('keys', 'list');
    });
    expect(later.stdout).not.toContain(another.id);
    await ended(another.key);
    expect(await works(old.key)).toBe(true);
  });

  test('can wait for the end of the grace; Ctrl-C leaves that for later', async () => {
    const old = await tenant.newKey();
    const waited = await ah('keys', 'rotate', old.id, '--grace', '1s', '--wait');
    expect(waited.stderr).toContain(`${old.id} no longer works.`);
    await ended(old.key);

    const kept = await tenant.newKey();
    const waiting = shell.start(
      ['keys', 'rotate', kept.id, '--grace', '1h', '--wait'],
      environment(tenant.key, service.url),
    );
    await waiting.sees('then it is ended');
    waiting.kill('SIGINT');
    expect((await waiting.ended).code).toBe(130);
    expect(await works(kept.key)).toBe(true);
  });

  test('that fails halfway loses nothing: the new key was printed, and the old one works', async () => {
    const broken = await startHalfBrokenProxy(service.url);
    const old = await tenant.newKey();
    const rotated = await shell.run(['keys', 'rotate', old.id], environment(old.key, broken.url));
    await broken.stop();
    expect(rotated.code).toBe(6);
    expect(rotated.stderr).toContain(
      `${old.id} was not ended. End it with: agent-hosting keys revoke ${old.id}`,
    );
    expect(await works(rotated.stdout.trim())).toBe(true);
    expect(await works(old.key)).toBe(true);
  });
});

/** In front of the service, but whatever would delete something breaks off. */
async function startHalfBrokenProxy(
  target: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const server: Server = createServer((request, response) => {
    if (request.method === 'DELETE') {
      request.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { authorization = '' } = request.headers;
      void fetch(`${target}${request.url ?? ''}`, {
        method: request.method ?? 'GET',
        headers: { authorization, 'content-type': 'application/json' },
        ...(body.length > 0 && { body }),
      }).then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(await answer.text());
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
