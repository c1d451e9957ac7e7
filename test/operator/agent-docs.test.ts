/** What docs/agents.md shows of manifests is what the schema of manifests allows. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parseManifests } from '../../server/operator/manifest.js';
import { root } from '../helpers/workspace.js';

const text = readFileSync(path.join(root, 'docs/agents.md'), 'utf8');
const examples = [...text.matchAll(/## (.+)\n\n```yaml\n([^]*?)```/g)].map(
  ([, title = '', yaml = '']) => [title, yaml] as const,
);

test.each(examples)('the example of %s fits the schema', (_title, yaml) => {
  expect(parseManifests(yaml)).toHaveProperty('manifests');
});
