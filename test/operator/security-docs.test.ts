/** The manifest examples in docs/security/ match the manifest schema. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parseManifests } from '../../server/operator/parse-manifests.js';
import { root } from '../helpers/programs/workspace.js';

const text = ['docs/security/tokens.md', 'docs/security/agent-settings.md']
  .map((file) => readFileSync(path.join(root, file), 'utf8'))
  .join('\n');
const examples = [...text.matchAll(/### (.+)\n\n```yaml\n([^]*?)```/g)].map(
  ([, title = '', yaml = '']) => [title, yaml] as const,
);

test('there is an example for each setting', () => {
  expect(examples.map(([title]) => title)).toEqual([
    'JSON Web Tokens',
    'OAuth 2.0',
    'Roles',
    'Addresses',
    'Mutual TLS',
    'HTTPS',
    'Rate limit',
    'One-time codes',
  ]);
});

test.each(examples)('the example of %s fits the schema', (_title, yaml) => {
  const whole = yaml.startsWith('name:') ? yaml : `name: example\nmodel: builtin/echo\n${yaml}`;
  expect(parseManifests(whole)).toHaveProperty('manifests');
});
