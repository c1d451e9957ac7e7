/** `npm run test:hostile`: one request must not block the others: with any body or query of legal size, the event loop is free within 50 ms. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { operations as routes } from '../../generated/operations.js';
import { operations } from '../helpers/service/contract.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { loopTime } from '../helpers/programs/processor-time.js';
import { useFixture } from '../helpers/service/fixture.js';
import { environmentFor, useService, useTenant } from '../helpers/service/service.js';
import { type Names, createResources, validCall } from '../helpers/service/valid-call.js';
import { worstBodies } from './worst-bodies.js';

const longestMs = 50;
/** The largest MAX_BODY_BYTES. */
const largestBytes = 2 * 1024 * 1024;
/** The machine itself can be busy for a moment, but not each time that the same body is sent. */
const tries = 30;

const service = useService();
const tenant = useTenant(service);
const names = useFixture<Names>(() => createResources(service, tenant));

/** A separate process, so that neither the test nor its client is measured. */
const loaded = useFixture<ServiceProcess>(
  () =>
    startServiceProcess({
      environment: { ...environmentFor(service), MAX_BODY_BYTES: String(largestBytes) },
    }),
  async (program) => void (await program.end('SIGTERM')),
);

beforeAll(async () => {
  for (let n = 0; n < 50; n += 1) await probe();
});

/** How much event loop time a request waits for, in ms. */
async function probe(): Promise<number> {
  const start = loopTime(loaded.pid);
  await (await fetch(`${loaded.url}/healthz`)).text();
  return loopTime(loaded.pid) - start;
}

/** The longest wait without other requests, which shows how busy the machine is. */
async function idleWait(): Promise<number> {
  let longest = 0;
  for (let n = 0; n < 5; n += 1) longest = Math.max(longest, await probe());
  return longest;
}

/** The longest wait of another request while this one was answered. */
async function longestWait(method: string, path: string, body: string | null): Promise<number> {
  const progress = { isOver: false };
  const answered = fetch(`${loaded.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body,
  }).then(async (answer) => {
    await answer.text();
    progress.isOver = true;
    return answer.status;
  });
  let longest = 0;
  do longest = Math.max(longest, await probe());
  while (!progress.isOver);
  expect([200, 201, 400]).toContain(await answered);
  return longest;
}

/** Whether the request delays no other. */
async function passes(...request: Parameters<typeof longestWait>): Promise<boolean> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const idle = await idleWait();
    if ((await longestWait(...request)) < longestMs + 2 * idle) return true;
  }
  return false;
}

const withBody = operations.filter(({ requests }) => requests.length > 0);

describe.each(withBody)('$operationId', ({ operationId, requests: [request] }) => {
  test('is not blocked by any of the worst bodies', async () => {
    const bodies = worstBodies(request?.schema ?? {}, request?.value, largestBytes);
    const route = Object.values(routes).find((known) => known.operationId === operationId);
    if (!route) throw new Error(`${operationId} is not generated.`);
    const { path } = validCall(route, names);
    const url = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(path[name]));
    const blocking: string[] = [];
    for (const { name, text } of bodies) {
      if (!(await passes(route.method.toUpperCase(), url, text))) blocking.push(name);
    }
    expect(blocking).toEqual([]);
  });
});

const times = (count: number, part: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => part(n)).join('&');

test.each([
  ['a thousand members of an unknown parameter', times(1000, (n) => `a[b${n}]=1`)],
  ['a thousand members of a known one', times(1000, (n) => `limit%5B${n}%5D=`)],
  ['a deep member', `a${'[b]'.repeat(5000)}=1`],
  ['a thousand unknown parameters', times(1000, (n) => `x${n}=1`)],
  ['one parameter many times', times(2000, () => 'limit=1')],
  ['separators', '&'.repeat(15_000)],
  ['escapes', `name=${'%41'.repeat(5000)}`],
])('a list is not blocked by a query of %s', async (_name, query) => {
  expect(await passes('GET', `/v1/agents?${query}`, null)).toBe(true);
});
