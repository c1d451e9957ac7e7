/** Graceful shutdown: requests in flight are finished within the limit, and no new ones are accepted. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { apiClient } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';
import { type Pipeline, startPipeline } from '../helpers/service/pipeline.js';
import { startServiceProcess } from '../helpers/programs/process.js';
import { openSocket, parseAnswer, requestText, untilClosed } from '../helpers/servers/raw-http.js';
import { environmentFor, useService } from '../helpers/service/service.js';

const service = useService();

const request = requestText('GET', '/v1/agents', {
  Authorization: 'Bearer x',
  Connection: 'keep-alive',
});

/** A pipeline with one request inside its operation, which ends when the test says so. */
async function holdRequest(): Promise<{ pipeline: Pipeline; socket: Socket; finish: () => void }> {
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const pipeline = await startPipeline(service.database, async () => {
    arrive();
    await finished;
    throw new Error('The test only waits for this call.');
  });
  const socket = await openSocket(pipeline.url);
  socket.write(request);
  await arrived;
  return { pipeline, socket, finish };
}

describe('draining', () => {
  test('answers requests in flight, closes their connections, and accepts no new ones', async () => {
    const { pipeline, socket, finish } = await holdRequest();
    const received = untilClosed(socket);
    const drained = pipeline.drain(60_000);
    await expect(openSocket(pipeline.url)).rejects.toThrow('ECONNREFUSED');
    finish();
    const answer = parseAnswer(await received);
    expect(answer.status).toBe(500);
    expect(answer.headers['connection']).toBe('close');
    await drained;
  });

  test('a partially received request on an open connection is a 503', async () => {
    const { pipeline, finish } = await holdRequest();
    const connected: Promise<[Socket]> = once(pipeline.server, 'connection') as never;
    const late = await openSocket(pipeline.url);
    const received = untilClosed(late);
    late.write(request.slice(0, 20));
    const [seen] = await connected;
    await eventually(() => {
      expect(seen.bytesRead).toBe(20);
    });
    const drained = pipeline.drain(60_000);
    late.write(request.slice(20));
    const answer = parseAnswer(await received);
    expect(answer.status).toBe(503);
    expect(answer.headers).toMatchObject({ 'retry-after': '2', connection: 'close' });
    expect(answer.headers['x-request-id']).toMatch(/^req_/);
    finish();
    await drained;
  });

  test('requests that exceed the limit are aborted', async () => {
    const { pipeline, socket } = await holdRequest();
    const received = untilClosed(socket);
    await pipeline.drain(50);
    expect(await received).toBe('');
  });
});

describe('SIGTERM', () => {
  test('lets a request finish that waits for the database, and then ends the process', async () => {
    const tenant = await service.tenant();
    const { id: agent_id } = await tenant.newAgent();
    const instance = await startServiceProcess({
      environment: environmentFor(service),
    });
    const lock = await service.database.pool.connect();
    try {
      await lock.query('BEGIN');
      await lock.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [agent_id]);
      const update = apiClient(instance.url, tenant.key).call('updateAgent', {
        path: { agent_id },
        body: { temperature: 0.5 },
      });
      await waitForLockWaiter(service.database.pool);
      const ended = instance.end('SIGTERM');
      await eventually(async () => {
        // A probe that still connects must not have its connection reset.
        const probe = openSocket(instance.url).then((late) => late.destroy());
        await expect(probe).rejects.toThrow('ECONNREFUSED');
      });
      await lock.query('COMMIT');
      expect((await update).status).toBe(200);
      expect(await ended).toBe(0);
    } finally {
      lock.release();
    }
  });
});
