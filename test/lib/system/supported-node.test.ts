import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { isSupported, oldestNode } from '../../../server/lib/system/supported-node.js';
import { root } from '../../helpers/programs/workspace.js';

test('the oldest Node is the one that package.json names', async () => {
  const { engines } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  expect(engines.node).toBe(`>=${oldestNode}`);
});

test.each([
  ['18.20.8', false],
  ['20.18.3', false],
  ['20.19.0', true],
  ['22.0.0', true],
])('Node %s: %p', (version, supported) => {
  expect(isSupported(version)).toBe(supported);
});
