/**
 * The security matrix: every operation of the contract, with every kind of credential, on what is the caller's own and
 * what is not. Each call is answered as the contract says, shows nothing that is not the caller's, and changes nothing
 * that it must not.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { fingerprint, rowsNaming } from '../helpers/database-state.js';
import { useFixture } from '../helpers/fixture.js';
import { apiKeys } from './matrix/api-keys.js';
import {
  type Cell,
  createCell,
  fire,
  forEachConcurrently,
  isAboutAgent,
  isAtAnotherUsersAgent,
  isToken,
  line,
  problemsOf,
} from './matrix/cells.js';
import { byName, columns } from './matrix/columns.js';
import { type Credential, placeOf } from './matrix/credential.js';
import { tokens } from './matrix/tokens.js';
import { createWorld, kinds } from './matrix/world.js';

const world = useFixture(createWorld, ({ stop }) => stop());
const credentials: Credential[] = [...apiKeys, ...tokens];

/** The cells of a credential. A call that says nothing of a place is made once, about the first. */
async function cellsOf(credential: Credential): Promise<Cell[]> {
  const { who, home, targets, issue, triedWith } = credential;
  const issued = await issue(world, world.places[home]);
  const tried = columns.filter(
    ({ operation, form }) =>
      (triedWith === undefined || operation.permission === triedWith) &&
      // Whoever is nobody gets no further than the operation, whatever the call says.
      (issued.grant !== 'nobody' || form === ''),
  );
  return tried.flatMap((column) => {
    const cells = targets.map((target) =>
      createCell({ column, who, target, issued, place: placeOf(world, credential, target) }),
    );
    const calls = cells.map(({ call }) => JSON.stringify(call));
    return cells.filter((_cell, index) => calls.indexOf(calls[index] ?? '') === index);
  });
}

async function problemsOfAll(cells: readonly Cell[]): Promise<string[]> {
  const problems: string[] = [];
  await forEachConcurrently(cells, async (cell) => {
    problems.push(...problemsOf(world, cell, await fire(world, cell)));
  });
  return problems;
}

describe('what is refused or only read is answered by the contract and changes nothing', () => {
  test.each(credentials)('$who', async (credential) => {
    const cells = (await cellsOf(credential)).filter(({ expected }) => !expected.changes);
    const before = await fingerprint(world.service.database);
    const problems = await problemsOfAll(cells);
    expect(problems.join('\n')).toBe('');
    expect(await fingerprint(world.service.database)).toEqual(before);
  });
});

describe('what is allowed', () => {
  test('happens, and to nobody else', async () => {
    const cells = await allowedCells();
    const watched = [
      ...kinds.map((kind) => ({
        id: world.places[kind].agent,
        mayChange: false,
        problem: `something changed about ${kind}, which no call was about`,
      })),
      ...cells.filter(isAtAnotherUsersAgent).map((cell) => ({
        id: cell.place.names['request_id'] ?? '',
        mayChange: false,
        problem: line(cell, 'changed what is another user’s'),
      })),
      ...cells.filter(isAboutAgent).map((cell) => ({
        id: cell.place.agent,
        mayChange: true,
        problem: line(cell, 'changed nothing'),
      })),
    ];
    const ids = watched.map(({ id }) => id);
    const before = await rowsNaming(world.service.database, ids);
    const problems = await problemsOfAll(cells);
    const after = await rowsNaming(world.service.database, ids);
    for (const { id, mayChange, problem } of watched) {
      const hasChanged = !isDeepStrictEqual(before.get(id), after.get(id));
      if (hasChanged !== mayChange) problems.push(problem);
    }
    expect(problems.join('\n')).toBe('');
  });

  /** Each with an agent of its own, since none may see what another did. */
  async function allowedCells(): Promise<Cell[]> {
    const cells: Cell[] = [];
    await forEachConcurrently(credentials, async (credential) => {
      const { home, issue } = credential;
      for (const cell of await cellsOf(credential)) {
        // That a name is as good as an id is tested with the operations.
        if (!cell.expected.changes || cell.column.form === byName) continue;
        const place = await world.newPlace(home, isToken(cell));
        cells.push(createCell({ ...cell, place, issued: await issue(world, place) }));
      }
    });
    return cells;
  }
});
