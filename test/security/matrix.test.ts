/**
 * The security matrix: every operation of the contract, with every kind of credential, on own and foreign resources. Each
 * call is answered as the contract says, reveals nothing that the caller may not see, and changes nothing that the caller
 * may not change.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { Answered } from '../helpers/service/api.js';
import { fingerprint, rowsNaming } from '../helpers/database/database-state.js';
import { useFixture } from '../helpers/service/fixture.js';
import { apiKeys } from './matrix/api-keys.js';
import {
  type Answers,
  type Cell,
  createCell,
  differencesIn,
  send,
  forEachConcurrently,
  isAboutAgent,
  isAtAnotherUsersAgent,
  isToken,
  line,
  problemsOf,
} from './matrix/cells.js';
import { byName, type Column, columns, deciding, inDraft } from './matrix/columns.js';
import { type Credential, resourcesFor } from './matrix/credential.js';
import { tokens } from './matrix/tokens.js';
import { createMatrixFixture, agentKinds } from './matrix/fixture.js';

const fixture = useFixture(createMatrixFixture, ({ stop }) => stop());
const credentials: Credential[] = [...apiKeys, ...tokens];

/** The cells of a credential. A call that names no resource is made once, for the first target. */
async function cellsOf(credential: Credential): Promise<Cell[]> {
  const { who, ownAgent, targets, issue, onlyPermission } = credential;
  const issued = await issue(fixture, fixture.resources[ownAgent]);
  const tried = columns.filter(
    ({ operation, form }) =>
      (onlyPermission === undefined || operation.permission === onlyPermission) &&
      // Without a valid credential only the operation matters, not its arguments.
      (issued.grant !== 'none' || form === ''),
  );
  return tried.flatMap((column) => {
    const cells = targets.map((target) =>
      createCell({
        column,
        who,
        target,
        issued,
        resources: resourcesFor(fixture, credential, target),
      }),
    );
    const calls = cells.map(({ call }) => JSON.stringify(call));
    return cells.filter((_cell, index) => calls.indexOf(calls[index] ?? '') === index);
  });
}

async function answersTo(cells: readonly Cell[]): Promise<Answers> {
  const answers: Answers = new Map();
  await forEachConcurrently(cells, async (cell) => {
    answers.set(cell, await send(fixture, cell));
  });
  return answers;
}

const problemsIn = (answers: Answers) =>
  [...answers].flatMap(([cell, answer]) => problemsOf(fixture, cell, answer));

describe('rejected and read-only calls follow the contract and change nothing', () => {
  test.each(credentials)('$who', async (credential) => {
    const cells = (await cellsOf(credential)).filter(({ expected }) => !expected.changes);
    const before = await fingerprint(fixture.service.database);
    const answers = await answersTo(cells);
    expect([...problemsIn(answers), ...differencesIn(answers)].join('\n')).toBe('');
    expect(await fingerprint(fixture.service.database)).toEqual(before);
  });
});

describe('allowed calls', () => {
  test('take effect, and only on their target', async () => {
    const cells = await allowedCells();
    const watched = [
      ...agentKinds.map((kind) => ({
        id: fixture.resources[kind].agent,
        mayChange: false,
        problem: `something changed about ${kind}, which no call was about`,
      })),
      ...cells.filter(isAtAnotherUsersAgent).map((cell) => ({
        id: cell.resources.names['request_id'] ?? '',
        mayChange: false,
        problem: line(cell, 'changed what is another user’s'),
      })),
      ...cells.filter(isAboutAgent).map((cell) => ({
        id: cell.resources.agent,
        mayChange: true,
        problem: line(cell, 'changed nothing'),
      })),
    ];
    const ids = watched.map(({ id }) => id);
    const before = await rowsNaming(fixture.service.database, ids);
    const problems = problemsIn(await answersTo(cells));
    const after = await rowsNaming(fixture.service.database, ids);
    for (const { id, mayChange, problem } of watched) {
      const hasChanged = !isDeepStrictEqual(before.get(id), after.get(id));
      if (hasChanged !== mayChange) problems.push(problem);
    }
    expect(problems.join('\n')).toBe('');
  });

  /** Each with a separate agent, since no call may see the effects of another. */
  async function allowedCells(): Promise<Cell[]> {
    const cells: Cell[] = [];
    await forEachConcurrently(credentials, async (credential) => {
      const { ownAgent, issue } = credential;
      for (const cell of await cellsOf(credential)) {
        // The tests of the operations cover names instead of ids.
        if (!cell.expected.changes || cell.column.form === byName) continue;
        const resources = await fixture.newResources(ownAgent, isToken(cell));
        cells.push(createCell({ ...cell, resources, issued: await issue(fixture, resources) }));
      }
    });
    return cells;
  }
});

describe('the Idempotency-Key of another caller', () => {
  const idempotent = columns.filter(
    ({ operation, form }) => operation.idempotent && ![byName, inDraft, deciding].includes(form),
  );

  test.each(idempotent)('never returns the response to $name', async (column) => {
    const backend = 'a key with every permission';
    const pairs = [
      [backend, 'a key of one agent'],
      [backend, 'a key of another account'],
      [backend, 'another user of the same agent, with a JWT'],
      ['the same user, with a JWT', 'another user of the same agent, with a JWT'],
    ];
    await forEachConcurrently(pairs, async (pair) => {
      const { first, second, made } = await repeat(column, pair);
      expect(first.status === 401 || first.status < 300).toBe(true);
      expect(second.headers.get('idempotency-replayed')).toBeNull();
      const text = JSON.stringify(second.body);
      expect(made.filter((id) => text.includes(id))).toEqual([]);
    });
  });

  /** Makes the same request with each caller, and returns the ids that the first one created. */
  async function repeat(column: Column, callers: readonly string[]) {
    const resources = await fixture.newResources('acme/jwt', false);
    const answers: Answered<unknown>[] = [];
    for (const who of callers) {
      const credential = credentials.find((candidate) => candidate.who === who);
      if (!credential) throw new Error(`There is no credential '${who}'.`);
      const own =
        credential.ownAgent === 'acme/jwt' ? resources : fixture.resources[credential.ownAgent];
      const issued = await credential.issue(fixture, own);
      const cell = createCell({ column, who, target: 'its own agent', issued, resources });
      const headers = { ...cell.call.headers, 'idempotency-key': 'the-same' };
      answers.push(await send(fixture, { ...cell, call: { ...cell.call, headers } }));
    }
    const [first, second] = answers;
    if (!first || !second) throw new Error('Two callers are needed.');
    const said = JSON.stringify(column.callAbout(resources.names));
    const made = JSON.stringify(first.body).match(/\b(req|dep|wh|key|whsec|ahs)_[\w+/=]{20,}/g);
    return { first, second, made: (made ?? []).filter((id) => !said.includes(id)) };
  }
});

test('the owner can see everything that is hidden from others', async () => {
  for (const kind of agentKinds.filter((candidate) => !fixture.resources[candidate].isClosed)) {
    const resources = fixture.resources[kind];
    const [credential] = apiKeys.filter(({ who }) => who === 'a key with every permission');
    const issued = await credential?.issue(fixture, resources);
    if (!issued) throw new Error('There is no key with every permission.');
    const cells = columns
      .map((column) =>
        createCell({ column, who: 'its owner', target: 'its own agent', issued, resources }),
      )
      .filter(({ expected }) => !expected.changes);
    const answers = await answersTo(cells);
    const seen = JSON.stringify([...answers.values()].map(({ body }) => body));
    expect(
      [...resources.confidential, ...resources.personal].filter((mark) => !seen.includes(mark)),
    ).toEqual([]);
  }
});
