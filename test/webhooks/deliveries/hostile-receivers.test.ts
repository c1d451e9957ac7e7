/** Misbehaving receivers: none holds an attempt for longer than the time limit. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { useDeliveryTest } from '../../helpers/service/delivery.js';
import { answer, type Behaviour, startReceiver } from '../../helpers/servers/receiver.js';

const fixture = useDeliveryTest({ worker: { timeoutMs: 700, pollMs: 200 } });

describe('A receiver that', () => {
  const hostile: Record<string, { behave: Behaviour; error: RegExp }> = {
    'takes the request and never answers': {
      behave: () => undefined,
      error: /did not answer within 0\.7 seconds/,
    },
    'drips its headers': {
      behave: (_response, { socket }) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => socket.write('x-more: yes\r\n'), 50);
        socket.once('close', () => {
          clearInterval(drip);
        });
      },
      error: /did not answer within/,
    },
    'sends no end of informational answers': {
      behave: (_response, { socket }) => {
        const drip = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 5);
        socket.once('close', () => {
          clearInterval(drip);
        });
      },
      error: /sent too many informational responses/,
    },
    'breaks the connection off': {
      behave: (_response, { socket }) => {
        socket.resetAndDestroy();
      },
      error: /closed the connection/,
    },
    'answers with something that is not HTTP': {
      behave: (_response, { socket }) => {
        socket.end('SSH-2.0-OpenSSH_9.6\r\n');
      },
      error: /did not answer in HTTP/,
    },
    'sends headers without end': {
      behave: (_response, { socket }) => {
        socket.on('error', () => undefined);
        socket.write(
          `HTTP/1.1 200 OK\r\n${'x-filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(5_000)}`,
        );
      },
      error: /did not answer in HTTP/,
    },
    'wants to switch protocols': {
      behave: (_response, { socket }) => {
        socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
      },
      error: /did not send a complete response/,
    },
  };

  test.each(Object.entries(hostile))(
    '%s fails the attempt in time',
    async (_name, { behave, error }) => {
      const { receiver, webhook } = await fixture.receiving(behave);
      const event = await fixture.send([webhook.id]);
      const delivery = await fixture.tried(event.id);
      expect(delivery).toMatchObject({ status: 'pending', lastStatusCode: null });
      expect(delivery.lastError).toMatch(error);
      expect(receiver.receipts).toHaveLength(1);
    },
  );

  test('refuses connections fails the attempt', async () => {
    const { receiver, webhook } = await fixture.receiving();
    await receiver.close();
    const event = await fixture.send([webhook.id]);
    expect((await fixture.tried(event.id)).lastError).toBe('The receiver refused the connection.');
  });

  const decided: Record<string, Behaviour> = {
    'drips its body': (response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 50);
      response.once('close', () => {
        clearInterval(drip);
      });
    },
    'breaks off in the middle of its body': (response, { socket }) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => socket.resetAndDestroy());
    },
  };

  test.each(Object.entries(decided))('%s is judged by its status', async (_name, behave) => {
    const { webhook } = await fixture.receiving(behave);
    const event = await fixture.send([webhook.id]);
    expect(await fixture.tried(event.id)).toMatchObject({
      status: 'succeeded',
      lastStatusCode: 200,
    });
  });

  test('sends an endless response is cut off, and its status counts', async () => {
    let sent = 0;
    const { webhook } = await fixture.receiving((response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(16_384, 'x');
      const writeForever = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on('drain', writeForever);
      writeForever();
    });
    const event = await fixture.send([webhook.id]);
    expect(await fixture.tried(event.id)).toMatchObject({
      status: 'succeeded',
      lastStatusCode: 200,
    });
    // The content of the socket buffers on both sides, not of the whole response.
    expect(sent).toBeLessThan(20_000_000);
  });

  test('sends a decompression bomb is read like any other, and nothing is decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const { receiver, webhook } = await fixture.receiving((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
      response.end(bomb);
    });
    const before = process.memoryUsage().rss;
    const event = await fixture.send([webhook.id]);
    expect(await fixture.tried(event.id)).toMatchObject({ status: 'succeeded' });
    expect(receiver.receipts[0]?.headers['accept-encoding']).toBe('identity');
    expect(process.memoryUsage().rss - before).toBeLessThan(45_000_000);
  });

  test('redirects to a metadata service is not followed', async () => {
    const inside = await startReceiver();
    for (const location of ['http://169.254.169.254/latest/meta-data/', inside.url]) {
      const { receiver, webhook } = await fixture.receiving(answer(307, { location }));
      const event = await fixture.send([webhook.id]);
      expect((await fixture.tried(event.id)).lastError).toBe(
        'The receiver answered 307, and redirects are not followed.',
      );
      expect(receiver.connections()).toBe(1);
    }
    expect(inside.connections()).toBe(0);
    await inside.close();
  });
});
