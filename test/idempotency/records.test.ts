import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createSecrets } from '../../server/installation/key-ring.js';
import type { Database } from '../../server/postgres/database.js';
import {
  ClaimLost,
  IdempotencyRecords,
  idempotencyLeaseMs,
  type IdempotencyScope,
  pruneIdempotencyRecords,
} from '../../server/idempotency/records.js';
import type { Claim } from '../../server/accounts/operation-context.js';
import { keepKeys, type ClaimTimes } from '../../server/idempotency/records.sql.js';
import { sealResponse } from '../../server/idempotency/sealed-response.js';
import { StoreUnavailable } from '../../server/postgres/errors.js';
import { useConnections, useDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';

const secrets = createSecrets(randomBytes(32));
const response = {
  status: 201,
  headers: { Location: '/x' },
  body: '{"data":{"key":"ahs_secret"}}',
};

const fixture = useDatabase();
const secondInstance = useConnections(fixture);
let records: IdempotencyRecords;

beforeAll(() => {
  records = onFirst();
});

const onFirst = (options?: Partial<ClaimTimes>) =>
  new IdempotencyRecords({ database: fixture.database, secrets, ...options });
const onSecond = (options?: Partial<ClaimTimes>) =>
  new IdempotencyRecords({ database: secondInstance, secrets, ...options });

function someScope(): IdempotencyScope {
  return {
    accountId: 'acc_1',
    callerId: 'key_1',
    method: 'POST',
    path: '/v1/keys',
    key: randomUUID(),
  };
}

async function start(scope: IdempotencyScope, store = records): Promise<Claim> {
  const beginning = await store.begin(scope, 'request');
  if (beginning.outcome !== 'started') throw new Error(`It did not start: ${beginning.outcome}.`);
  return beginning.claim;
}

const keyOf = ({ accountId, id }: Claim) => ({ accountId_id: { accountId, id } });

/** An observable effect: a setting named after the claim. */
function effectOf(claim: Claim, store = records, database: Database = fixture.database) {
  return database.transaction(async (transaction) => {
    await transaction.prisma.setting.create({ data: { key: `effect ${claim.owner}`, value: {} } });
    await store.complete(transaction, claim, response);
  });
}

const effects = (...claims: Claim[]) =>
  fixture.database.prisma.setting.count({
    where: { key: { in: claims.map(({ owner }) => `effect ${owner}`) } },
  });

describe('a request with an Idempotency-Key', () => {
  test('starts, is running until its effect is committed, and is then replayed', async () => {
    const scope = someScope();
    const claim = await start(scope);
    expect(await records.begin(scope, 'request')).toMatchObject({ outcome: 'running' });
    await effectOf(claim);
    expect(await records.begin(scope, 'request')).toMatchObject({ outcome: 'replay', response });
    expect(await onSecond().begin(scope, 'request')).toMatchObject({ outcome: 'replay', response });
  });

  test('can be retried if the database did not confirm its start', async () => {
    const { database } = fixture;
    const silent: Database = {
      ...database,
      run: async (...statement) => {
        await database.run(...statement);
        throw new StoreUnavailable('The connection was lost.');
      },
    };
    const scope = someScope();
    const lost = new IdempotencyRecords({ database: silent, secrets }).begin(scope, 'request');
    await expect(lost).rejects.toThrow('The connection was lost.');
    await start(scope);
  });

  test('is rejected with another body, whether running or answered', async () => {
    const scope = someScope();
    const claim = await start(scope);
    expect(await records.begin(scope, 'another')).toMatchObject({ outcome: 'mismatch' });
    await effectOf(claim);
    expect(await records.begin(scope, 'another')).toMatchObject({ outcome: 'mismatch' });
  });

  test.each<[string, Partial<IdempotencyScope>]>([
    ['account', { accountId: 'acc_2' }],
    ['caller', { callerId: 'key_2' }],
    ['method', { method: 'PUT' }],
    ['path', { path: '/v1/webhooks' }],
    ['key', { key: randomUUID() }],
  ])('is independent of the same key of another %s', async (_, difference) => {
    const scope = someScope();
    await start(scope);
    await start({ ...scope, ...difference });
  });

  test('starts once when a hundred arrive at once on two instances', async () => {
    const scope = someScope();
    const [first, second] = [onFirst(), onSecond()];
    const beginnings = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? first : second).begin(scope, 'request'),
      ),
    );
    const outcomes = beginnings.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'started')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'running')).toHaveLength(99);
  });

  test('starts again after it was abandoned', async () => {
    const scope = someScope();
    await records.abandon(await start(scope));
    await start(scope);
  });

  test('cannot be abandoned once it is answered', async () => {
    const scope = someScope();
    const claim = await start(scope);
    await effectOf(claim);
    await records.abandon(claim);
    expect(await records.begin(scope, 'request')).toMatchObject({ outcome: 'replay' });
  });

  test('leaves neither effect nor response when its transaction fails', async () => {
    const scope = someScope();
    const claim = await start(scope);
    const failing = fixture.database.transaction(async (transaction) => {
      await transaction.prisma.setting.create({
        data: { key: `effect ${claim.owner}`, value: {} },
      });
      await records.complete(transaction, claim, response);
      throw new Error('crash');
    });
    await expect(failing).rejects.toThrow('crash');
    expect(await effects(claim)).toBe(0);
    expect(await records.begin(scope, 'request')).toMatchObject({ outcome: 'running' });
  });
});

describe('a request whose process died', () => {
  const hasty = { leaseMs: 50 };

  async function takeOver(scope: IdempotencyScope): Promise<Claim> {
    return eventually(() => start(scope, onSecond(hasty)));
  }

  test('is taken over when its lease expires', async () => {
    const scope = someScope();
    const dead = await start(scope, onFirst(hasty));
    const heir = await takeOver(scope);
    await effectOf(heir, onSecond(), secondInstance);
    expect(await effects(dead, heir)).toBe(1);
  });

  test('has one effect, even if it was only slow', async () => {
    const scope = someScope();
    const slow = await start(scope, onFirst(hasty));
    const heir = await takeOver(scope);
    await expect(effectOf(slow)).rejects.toThrow(ClaimLost);
    await effectOf(heir, onSecond(), secondInstance);
    await expect(effectOf(slow)).rejects.toThrow(ClaimLost);
    expect(await effects(slow)).toBe(0);
    expect(await effects(heir)).toBe(1);
  });

  const requestId = 'req_1';

  /** As before a tool is called. */
  const act = ({ accountId, id, owner }: Claim) =>
    fixture.database.atomically((queryable) =>
      keepKeys(queryable, accountId, [{ id, owner, requestId }]),
    );

  test('is taken over together with its invocation if it has acted', async () => {
    const scope = someScope();
    const acting = await start(scope, onFirst(hasty));
    expect(await act(acting)).toBe(1);
    const second = await eventually(async () => {
      const begun = await onSecond(hasty).begin(scope, 'request');
      if (begun.outcome !== 'started') throw new Error(`It did not start: ${begun.outcome}.`);
      return begun;
    });
    expect(second).toMatchObject({ outcome: 'started', requestId });
    expect(second.claim.owner).not.toBe(acting.owner);
    await expect(effectOf(acting)).rejects.toThrow(ClaimLost);
    expect(await act(acting)).toBe(0);
    // Its heir may die as well, before or after it acts.
    const third = await eventually(async () => {
      const begun = await onSecond().begin(scope, 'request');
      expect(begun).toMatchObject({ outcome: 'started', requestId });
      return begun.claim;
    });
    await effectOf(third, onSecond(), secondInstance);
    expect(await records.begin(scope, 'request')).toMatchObject({ outcome: 'replay', response });
    expect(await records.find(scope, 'request')).toMatchObject({ outcome: 'replay', response });
    expect(await effects(acting, second.claim, third)).toBe(1);
  });

  test('that has acted is taken over by one of a hundred repeats', async () => {
    const scope = someScope();
    await act(await start(scope, onFirst({ leaseMs: 0 })));
    const [first, second] = [onFirst(), onSecond()];
    const beginnings = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? first : second).begin(scope, 'request'),
      ),
    );
    const started = beginnings.filter(({ outcome }) => outcome === 'started');
    expect(started).toMatchObject([{ requestId }]);
    expect(beginnings.filter(({ outcome }) => outcome === 'running')).toHaveLength(99);
  });

  test('that has acted is not taken over by a request with another body', async () => {
    const scope = someScope();
    await act(await start(scope, onFirst({ leaseMs: 0 })));
    expect(await records.begin(scope, 'another')).toMatchObject({ outcome: 'mismatch' });
  });

  test('that has acted is not started over by an instance of the previous release', async () => {
    const scope = someScope();
    const acting = await start(scope, onFirst({ leaseMs: 0 }));
    await act(acting);
    const heir = await start(scope);
    // It takes over only records without a status.
    const { prisma } = fixture.database;
    const found = await prisma.idempotencyRecord.findUnique({ where: keyOf(heir) });
    expect(found).toMatchObject({ requestId, responseStatus: 503, sealedResponse: null });
  });

  test('that has acted on an instance of the previous release ends with the response that this stored in advance', async () => {
    const scope = someScope();
    const claim = await start(scope);
    await fixture.database.prisma.idempotencyRecord.update({
      where: keyOf(claim),
      data: sealResponse(secrets, claim.id, response),
    });
    expect(await records.begin(scope, 'request')).toMatchObject({ outcome: 'running' });
    await fixture.database.prisma.idempotencyRecord.update({
      where: keyOf(claim),
      data: { leaseUntil: new Date(0) },
    });
    expect(await records.begin(scope, 'request')).toMatchObject({ outcome: 'replay', response });
    await expect(effectOf(claim)).rejects.toThrow(ClaimLost);
  });

  test('still runs after it has acted, as long as its lease is renewed', async () => {
    const scope = someScope();
    const acting = await start(scope);
    await act(acting);
    expect(await onSecond().begin(scope, 'request')).toMatchObject({ outcome: 'running' });
    expect(await records.find(scope, 'request')).toMatchObject({ outcome: 'running' });
    expect(await records.follow(acting)).toEqual({ isRunning: true });
    await effectOf(acting);
    expect(await records.follow(acting)).toEqual({ isRunning: false, response });
  });

  test('ends without a response for those who follow it, even if it has acted', async () => {
    const acting = await start(someScope(), onFirst({ leaseMs: 0 }));
    await act(acting);
    expect(await records.follow(acting)).toEqual({ isRunning: false });
  });

  test('cannot act once it has lost its claim', async () => {
    const scope = someScope();
    const slow = await start(scope, onFirst(hasty));
    await takeOver(scope);
    expect(await act(slow)).toBe(0);
  });

  test('keeps its key when it is abandoned after it has acted, and a repeat goes on at once', async () => {
    const scope = someScope();
    const acting = await start(scope);
    await act(acting);
    await records.abandon(acting);
    expect(await records.begin(scope, 'another')).toMatchObject({ outcome: 'mismatch' });
    // The lease of the first would have lasted for seconds.
    const begun = await onSecond().begin(scope, 'request');
    expect(begun).toMatchObject({ outcome: 'started', requestId });
    await expect(effectOf(acting)).rejects.toThrow(ClaimLost);
    expect(await records.begin(scope, 'request')).toMatchObject({ outcome: 'running' });
  });

  test('that has acted leaves no invocation to the next request once its key has expired', async () => {
    const scope = someScope();
    await act(await start(scope, onFirst({ keepMs: 0 })));
    const begun = await onSecond({ keepMs: 0 }).begin(scope, 'another');
    expect(begun).toMatchObject({ outcome: 'started', requestId: null });
  });

  test('is not taken over by a request with another body', async () => {
    const scope = someScope();
    await start(scope, onFirst({ leaseMs: 0 }));
    expect(await records.begin(scope, 'another')).toMatchObject({ outcome: 'mismatch' });
  });

  test('is not taken over while its effect is being committed', async () => {
    const scope = someScope();
    const claim = await start(scope, onFirst({ leaseMs: 0 }));
    let overtaking: ReturnType<IdempotencyRecords['begin']> | undefined;
    await fixture.database.transaction(async (transaction) => {
      await records.complete(transaction, claim, response);
      overtaking = onSecond({ leaseMs: 0 }).begin(scope, 'request');
      // It must wait for this transaction, so give it time to be found waiting.
      await waitForLockWaiter(secondInstance.pool);
    });
    expect(await overtaking).toMatchObject({ outcome: 'replay', response });
  });

  test('keeps its claim by renewing it, and learns when it has lost it', async () => {
    const scope = someScope();
    const claim = await start(scope, onFirst({ leaseMs: 0 }));
    expect(await records.renew(claim)).toEqual({
      sinceFollowedMs: null,
      stopRequested: false,
    });
    expect(await onSecond(hasty).begin(scope, 'request')).toMatchObject({ outcome: 'running' });
    await records.abandon(claim);
    expect(await records.renew(claim)).toBe('lost');
  });
});

describe('a stored response', () => {
  test('is unreadable in the database', async () => {
    const claim = await start(someScope());
    await effectOf(claim);
    const row = await fixture.database.prisma.idempotencyRecord.findUniqueOrThrow({
      where: keyOf(claim),
    });
    const stored = Buffer.from(row.sealedResponse ?? []).toString('latin1');
    expect(stored.length).toBeGreaterThan(0);
    expect(stored).not.toContain('ahs_secret');
  });

  test('is ignored after it expired', async () => {
    const scope = someScope();
    const brief = onFirst({ keepMs: 0 });
    await effectOf(await start(scope, brief));
    expect(await records.begin(scope, 'another')).toMatchObject({ outcome: 'started' });
  });

  test('is pruned after it expired', async () => {
    const kept = await start(someScope());
    const expired = await start(someScope(), onFirst({ keepMs: 0 }));
    await effectOf(kept);
    await effectOf(expired);
    await eventually(async () => {
      await pruneIdempotencyRecords(fixture.database, new Date(), 1);
      const { idempotencyRecord } = fixture.database.prisma;
      expect(await idempotencyRecord.findUnique({ where: keyOf(expired) })).toBeNull();
    });
    const { idempotencyRecord } = fixture.database.prisma;
    expect(await idempotencyRecord.findUnique({ where: keyOf(kept) })).not.toBeNull();
  });

  test('is kept for 24 hours', async () => {
    const claim = await start(someScope());
    const { expiresAt, leaseUntil } =
      await fixture.database.prisma.idempotencyRecord.findUniqueOrThrow({ where: keyOf(claim) });
    // Both count from the same moment.
    expect(expiresAt.getTime() - leaseUntil.getTime()).toBe(24 * 3_600_000 - idempotencyLeaseMs);
  });
});
