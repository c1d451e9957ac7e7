/** The proxy settings in docs/operations/reverse-proxies.md: streams are not buffered. */
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from '@jest/globals';
import { freePort } from '../../server/lib/net/free-port.js';
import { statusAt } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { startCommand } from '../helpers/programs/process.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import { eventsOf, openStream } from '../invocations/event-reader.js';
import { message, useServiceWithModel } from '../invocations/service-with-model.js';
import { chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { documentedSettings } from './documented-settings.js';
import { startHaproxy } from './haproxy.js';
import { testWith } from './tools.js';

const fixture = useServiceWithModel();

/** The documented settings, without TLS, between this port and the service. */
async function settingsFor(language: string, port: number): Promise<string> {
  const settings = await documentedSettings('reverse-proxies.md', language);
  expect(settings).toContain('10.0.0.11:3000');
  return settings
    .replaceAll('10.0.0.11:3000', new URL(fixture.service.url).host)
    .replace(/^ *server .*10\.0\.0\.12:3000.*\n/m, '')
    .replace(/listen 443 ssl;|bind :443 .*/, (line) =>
      line.startsWith('bind') ? `bind 127.0.0.1:${port}` : `listen 127.0.0.1:${port};`,
    )
    .replace(/^ *ssl_certificate.*\n/gm, '');
}

interface Proxy {
  stop: () => Promise<unknown>;
}

async function startNginx(port: number): Promise<Proxy> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = kinds.map((kind) => `${kind}_temp_path ${kind};`).join(' ');
  const file = path.join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; pid nginx.pid; error_log stderr; events {}
     http { access_log off; ${paths}\n${await settingsFor('nginx', port)} }`,
  );
  const program = startCommand('nginx', ['-e', 'stderr', '-p', folder, '-c', file]);
  return { stop: () => program.end('SIGTERM') };
}

async function expectEventsAsTheyCome(start: (port: number) => Promise<Proxy>): Promise<void> {
  const port = await freePort();
  const proxy = await start(port);
  const url = `http://127.0.0.1:${port}`;
  let begin: () => void = () => undefined;
  let finish: () => void = () => undefined;
  fixture.provider.behave((res) => {
    begin = () => {
      chatCompletions.say(res, ['First ']);
    };
    finish = () => {
      chatCompletions.say(res, ['second.']);
      chatCompletions.finish(res, { input: 1, output: 1 });
    };
  });
  try {
    await eventually(async () => {
      expect(await statusAt(`${url}/readyz`)).toBe(200);
    }, 30_000);
    const { id } = await fixture.newAgent();
    // The headers pass while the model is still thinking.
    const events = eventsOf(await openStream(url, fixture.tenant.key, message(id, 'Go')));
    await fixture.provider.asked(1);
    begin();
    expect((await events.next()).value).toEqual({ event: 'delta', data: { text: 'First ' } });
    finish();
    const rest = [];
    for await (const { event } of events) rest.push(event);
    expect(rest).toEqual(['delta', 'done']);
  } finally {
    await proxy.stop();
  }
}

describe('a stream is passed on without buffering', () => {
  testWith(['nginx', '-v'])('by nginx', () => expectEventsAsTheyCome(startNginx));
  testWith(['haproxy', '-v'])('by HAProxy', () =>
    expectEventsAsTheyCome(async (port) => startHaproxy(await settingsFor('haproxy', port))),
  );
});
