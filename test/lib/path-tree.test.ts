import { describe, expect, test } from '@jest/globals';
import { createPathTree } from '../../server/lib/path-tree.js';

const tree = createPathTree<string>();
for (const path of ['/v1/agents', '/v1/agents/{agent_id}', '/v1/agents/{agent_id}/logs/{log_id}']) {
  tree.add(path, () => path);
}
tree.add('/v1/agents/newest', () => 'the newest');

describe('a path', () => {
  test.each([
    ['/v1/agents', '/v1/agents', {}],
    ['/v1/agents/a', '/v1/agents/{agent_id}', { agent_id: 'a' }],
    ['/v1/agents/a%2Fb', '/v1/agents/{agent_id}', { agent_id: 'a%2Fb' }],
    ['/v1/agents/newest', 'the newest', {}],
    ['/v1/agents/a/logs/1', '/v1/agents/{agent_id}/logs/{log_id}', { agent_id: 'a', log_id: '1' }],
  ])('%s leads to its value', (path, value, parameters) => {
    expect(tree.find(path)).toEqual({ value, parameters });
  });

  test.each([
    '',
    '/',
    '/v1',
    'v1/agents',
    '/V1/agents',
    '/v1/agents/',
    '//v1/agents',
    '/v1//agents',
    '/v1/agents/a/',
    '/v1/agents/a/logs',
    '/v1/agents/a/logs/',
    '/v1/agents//logs/1',
    '/v1/agents/a/logs/1/2',
    '/v1/{agent_id}',
    '/v1/constructor',
  ])('%s leads nowhere', (path) => {
    expect(tree.find(path)).toBeUndefined();
  });

  test('keeps the value that it was given first', () => {
    expect(tree.add('/v1/agents', () => 'another')).toBe('/v1/agents');
  });
});
