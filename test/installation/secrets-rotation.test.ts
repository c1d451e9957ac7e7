/** Rotation of SECRETS_KEY, with values that change during the rotation or cannot be decrypted. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { listKeyUse, rotateKeys } from '../../server/installation/secrets-rotation.js';
import { createSecrets, type KeyRing } from '../../server/installation/key-ring.js';
import { sealContexts } from '../../server/installation/seal-contexts.js';
import { createStreamEvents } from '../../server/invocations/streams/stream-events.js';
import {
  activateKey,
  adoptStoredKeys,
  followActiveKey,
} from '../../server/installation/secrets-keys.js';
import { createTestDatabase, type TestDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

let made: TestDatabase;
let accountId: string;
let agentId: string;
let oldKey: Buffer;
let currentKey: Buffer;
let before: KeyRing;
let ring: KeyRing;

beforeEach(async () => {
  made = await createTestDatabase();
  accountId = await insertAccount(made.database);
  agentId = await insertAgent(made.database, accountId);
  [oldKey, currentKey] = [randomBytes(32), randomBytes(32)];
  before = createSecrets(oldKey);
  ring = createSecrets(currentKey, [oldKey]);
  await adoptStoredKeys(made.database, before);
  await adoptStoredKeys(made.database, ring);
});
afterEach(() => made.close());

const context = () => sealContexts.mfaEnrolment(agentId);
const enrol = (sealedSecret: Buffer<ArrayBuffer>) =>
  made.database.prisma.mfaEnrolment.upsert({
    where: { accountId_agentId: { accountId, agentId } },
    create: { accountId, agentId, sealedSecret },
    update: { sealedSecret },
  });
const storedSecret = async () =>
  (await made.database.prisma.mfaEnrolment.findFirstOrThrow({ where: { agentId } })).sealedSecret;
const ignore = () => undefined;

test('the old key encrypts until the new one is active; running instances then follow', async () => {
  const instance = createSecrets(currentKey, [oldKey]);
  await adoptStoredKeys(made.database, instance);
  const watch = followActiveKey(made.database, instance, ignore);
  try {
    expect(before.open(instance.seal('text', 'x'), 'x').toString()).toBe('text');
    expect(await activateKey(made.database, ring)).toBe(true);
    expect(await activateKey(made.database, ring)).toBe(false);
    await eventually(() => {
      expect(instance.sealing.id).toBe(ring.keys[0].id);
    });
  } finally {
    await watch.stop();
  }
});

test('the hash of an API key stays the same, even without the original key', async () => {
  const hash = before.hashApiKey('ahs_a');
  await rotateKeys(made.database, ring, ignore);
  const after = createSecrets(currentKey);
  await adoptStoredKeys(made.database, after);
  expect(after.hashApiKey('ahs_a')).toEqual(hash);
});

test('values that an instance still encrypts with the old key are re-encrypted', async () => {
  const rotation = rotateKeys(made.database, ring, ignore);
  await eventually(() => {
    expect(ring.sealing.id).toBe(ring.keys[0].id);
  });
  await enrol(before.seal('late', context()));
  await rotation;
  expect(
    createSecrets(currentKey)
      .open(await storedSecret(), context())
      .toString(),
  ).toBe('late');
});

test('a value that is replaced while it is re-encrypted keeps the replacement', async () => {
  await enrol(before.seal('first', context()));
  const { database } = made;
  let rotation: Promise<unknown> | undefined;
  await database.transaction(async ({ prisma }) => {
    const sealedSecret = before.seal('second', context());
    await prisma.mfaEnrolment.updateMany({ where: { agentId }, data: { sealedSecret } });
    // The rotation reads the first value, since the second is not committed, and waits for this transaction to write.
    rotation = rotateKeys(database, ring, ignore);
    await waitForLockWaiter(database.pool);
  });
  await rotation;
  expect(
    createSecrets(currentKey)
      .open(await storedSecret(), context())
      .toString(),
  ).toBe('second');
});

test('stream events are re-encrypted', async () => {
  const stream = { accountId, streamId: 'req_1', idempotencyId: Buffer.from('key') };
  const events = [1, 2].map((position) => ({
    position,
    event: 'delta',
    data: `{"n":${position}}`,
  }));
  const { append } = createStreamEvents(made.database, before);
  await append({ ...stream, agentId, dropAt: null, events });
  expect(await listKeyUse(made.database, ring)).toContainEqual(
    expect.objectContaining({ id: before.keys[0].id, streamEvents: 2 }),
  );
  expect(await rotateKeys(made.database, ring, ignore)).toMatchObject({ resealed: 2 });
  const { read } = createStreamEvents(made.database, createSecrets(currentKey));
  expect(await read(stream, 0)).toMatchObject(events);
});

test('a value that no key decrypts is reported and left unchanged, and the others are re-encrypted', async () => {
  const damaged = before.seal('text', 'another place');
  await enrol(damaged);
  expect(await rotateKeys(made.database, ring, ignore)).toEqual({
    activated: true,
    resealed: 0,
    unreadable: [context()],
  });
  expect(Buffer.from(await storedSecret()).equals(damaged)).toBe(true);
  expect(await listKeyUse(made.database, ring)).toMatchObject([
    { id: ring.keys[0].id, role: 'SECRETS_KEY', isActive: true, apiKeyPepper: true },
    { id: before.keys[0].id, role: 'SECRETS_KEY_PREVIOUS', isActive: false, mfaEnrolments: 1 },
  ]);
  await expect(adoptStoredKeys(made.database, createSecrets(currentKey))).rejects.toThrow(
    /1 stored value is still encrypted with a previous SECRETS_KEY/,
  );
});
