/** Users of one agent are isolated: a token acts for its subject only, an API key for any user. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Api } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { useFiles } from '../helpers/programs/files.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import {
  recordsOnceFinished,
  messageIn,
  useServiceWithModel,
} from '../invocations/service-with-model.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';

const secret = 'a secret of the support bot, of at least 32 bytes';

const fixture = useServiceWithModel();
const files = useFiles();
let policy: object;
let agent_id: string;

beforeAll(async () => {
  const file = await files.write('secret', secret);
  policy = {
    auth: { type: 'jwt', secret: `\${file:${file}}`, roles: ['auditor'] },
    roles: { auditor: ['read', 'delete'] },
  };
});

beforeEach(async () => {
  agent_id = (await fixture.newAgent({ policy })).id;
});

function as(user_id: string): Api {
  const token = signToken(secret, { ...usualClaims(), user_id, role: 'auditor' });
  return fixture.service.api(token);
}

/** The messages in the model's last request, without the instructions. */
function lastPrompt(): string[] {
  const { messages } = (fixture.provider.received.at(-1)?.body ?? {}) as {
    messages: { content: string }[];
  };
  return messages.map(({ content }) => content);
}

const found = async (api: Api, filter?: object) => {
  const body = { query: 'parcel', ...(filter && { filter }) };
  const { data } = await api.expect('searchMemory', 200, { path: { agent_id }, body });
  return data.map(({ content, metadata }) => [metadata.user_id, content]);
};

describe('a token', () => {
  test('has its own conversation in a session of the same name', async () => {
    await as('ann').expect('invokeAgent', 200, messageIn('main', agent_id, 'My PIN is 4711.'));
    await as('bob').expect('invokeAgent', 200, messageIn('main', agent_id, 'What is my PIN?'));
    expect(lastPrompt()).toEqual(['What is my PIN?']);
    await as('ann').expect('invokeAgent', 200, messageIn('main', agent_id, 'What is my PIN?'));
    expect(lastPrompt()).toEqual(['My PIN is 4711.', 'On its way.', 'What is my PIN?']);
  });

  test.each(['user_id', 'both'])('cannot act for another user: %s', async (which) => {
    const context = { user_id: 'ann', ...(which === 'both' && { session_id: 'main' }) };
    const body = { message: 'hello', context };
    const { error } = await as('bob').expect('invokeAgent', 400, { path: { agent_id }, body });
    expect(error.details).toEqual([
      { field: 'context.user_id', error: 'must be left out or be the subject of the token' },
    ]);
  });

  test('may name its own user, which is also the default', async () => {
    for (const context of [{ user_id: 'ann' }, {}, undefined]) {
      const body = { message: 'hello', ...(context && { context }) };
      const { data } = await as('ann').expect('invokeAgent', 200, { path: { agent_id }, body });
      const { invocation } = await recordsOnceFinished(fixture.service, data.request_id);
      expect(invocation).toMatchObject({ userId: 'ann', context: { user_id: 'ann' } });
    }
  });

  test('finds and clears only the memory of its own user', async () => {
    for (const user of ['ann', 'bob']) {
      await as(user).expect('invokeAgent', 200, messageIn('main', agent_id, `parcel of ${user}`));
    }
    expect(await found(as('bob'))).toEqual([['bob', 'parcel of bob']]);
    expect(await found(as('bob'), { session_id: 'main' })).toEqual([['bob', 'parcel of bob']]);
    await as('bob').expect('searchMemory', 400, {
      path: { agent_id },
      body: { query: 'parcel', filter: { user_id: 'ann' } },
    });
    const { data } = await as('bob').expect('clearMemory', 200, { path: { agent_id } });
    expect(data.cleared).toBe(2);
    expect(await found(fixture.tenant.api)).toEqual([['ann', 'parcel of ann']]);
  });

  test('does not see other users or their sessions in the log', async () => {
    await as('ann').expect('invokeAgent', 200, messageIn('secret plan', agent_id, 'hello'));
    await as('bob').expect('invokeAgent', 200, messageIn('main', agent_id, 'hello'));
    const read = async (api: Api) =>
      JSON.stringify((await api.expect('getLogs', 200, { path: { agent_id } })).data);
    expect(await read(as('bob'))).not.toMatch(/ann|secret plan/);
    expect(await read(as('bob'))).toMatch(/bob/);
    expect(await read(fixture.tenant.api)).toMatch(/ann.*secret plan|secret plan.*ann/s);
  });

  test.each([
    ['synchronous', {}, 200],
    ['asynchronous', { headers: { prefer: 'respond-async' } }, 202],
  ])('is not delayed by the session of another user: %s', async (_kind, call, status) => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    fixture.provider.behave(async (res, { body }) => {
      if (JSON.stringify(body).includes('slowly')) await held;
      answer(chatCompletions, ['Done.'])(res);
    });
    const slow = as('ann').call('invokeAgent', {
      ...messageIn('main', agent_id, 'slowly'),
      ...call,
    });
    await eventually(() => {
      expect(JSON.stringify(fixture.provider.received.at(-1)?.body)).toContain('slowly');
    });
    const quick = await as('bob').call('invokeAgent', {
      ...messageIn('main', agent_id, 'quickly'),
      ...call,
    });
    expect(quick.status).toBe(status);
    const { request_id } = (quick.body as { data: { request_id: string } }).data;
    expect((await recordsOnceFinished(fixture.service, request_id)).invocation?.status).toBe(
      'succeeded',
    );
    release();
    await slow;
  });
});

test('an API key acts for any user, and continues a conversation of a token', async () => {
  await as('ann').expect('invokeAgent', 200, messageIn('main', agent_id, 'My PIN is 4711.'));
  await fixture.tenant.api.expect('invokeAgent', 200, {
    path: { agent_id },
    body: { message: 'And now?', context: { user_id: 'ann', session_id: 'main' } },
  });
  expect(lastPrompt()).toEqual(['My PIN is 4711.', 'On its way.', 'And now?']);
});
