/** Workflows pin their actions: a tag can be moved to other code, a commit hash cannot. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../helpers/programs/workspace.js';

test('every action is pinned to a commit hash, with its version in a comment', async () => {
  const folder = path.join(root, '.github/workflows');
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  const actions = texts.flatMap((text) =>
    Array.from(text.matchAll(/uses: (.+)/g), ([, used = '']) => used),
  );
  expect(actions.length).toBeGreaterThan(10);
  const unpinned = actions.filter((used) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used));
  expect(unpinned).toEqual([]);
});
