/** Followers of a stream query the database only in a slot of their account, however many there are. */
import { expect, test } from '@jest/globals';
import type { Streams } from '../../server/invocations/streams/streams.js';
import { BytesInFlight } from '../../server/lib/async/bytes-in-flight.js';
import { FairQueue } from '../../server/lib/async/fair-queue.js';
import { followStream } from '../../server/invocations/streams/follow-stream.js';

test('many followers of one stream query it one at a time, and all reach its end', async () => {
  const slots = new FairQueue(2);
  const looking = { now: 0, most: 0, times: 0 };
  const look = async <Found>(found: Found): Promise<Found> => {
    looking.now += 1;
    looking.times += 1;
    looking.most = Math.max(looking.most, looking.now);
    await new Promise((resolve) => setImmediate(resolve));
    looking.now -= 1;
    return found;
  };
  const body = JSON.stringify({ success: true, data: { response: 'Yes.' } });
  const response = { status: 200, headers: {}, body };
  const streams = {
    followEveryMs: 1,
    read: () => look([]),
    follow: () => look({ isRunning: looking.times < 200, response }),
  } as unknown as Streams;
  const claim = { accountId: 'account', id: Buffer.alloc(0), owner: 'req_1' };
  const follower = {
    query: <Found>(find: () => Promise<Found>) => slots.run('account', find),
    memory: new BytesInFlight(1_000_000).open('account'),
  };
  const follow = async () => {
    const events: string[] = [];
    const signal = new AbortController().signal;
    for await (const { event } of followStream(streams, { claim, after: 0 }, follower, signal)) {
      events.push(event);
    }
    return events;
  };
  const followed = await Promise.all(Array.from({ length: 20 }, follow));
  expect(followed).toEqual(followed.map(() => ['delta', 'done']));
  expect(looking.times).toBeGreaterThan(200);
  expect(looking.most).toBe(1);
});

test.each([
  ['as the service writes it', '{"success":true,"data":{"response":"Yes."}}'],
  ['in another form', '{ "data": {"response": "Yes."}, "success": true }'],
])('a stored response %s is the end of its stream', async (_form, body) => {
  const streams = { read: () => Promise.resolve([]) } as unknown as Streams;
  const position = {
    claim: {
      accountId: 'a stored response %s ends its stream',
      id: Buffer.alloc(0),
      owner: 'req_1',
    },
    after: 1,
    response: { status: 200, headers: {}, body },
  };
  const follower = {
    query: <Found>(find: () => Promise<Found>) => find(),
    memory: new BytesInFlight(1_000_000).open('account'),
  };
  const events = [];
  for await (const event of followStream(streams, position, follower, AbortSignal.timeout(5_000))) {
    events.push(event);
  }
  expect(events).toEqual([{ event: 'done', data: { response: 'Yes.' } }]);
});
