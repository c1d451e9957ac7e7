/** The agents of docs/agents-that-work-together.md are those in examples/manifests, and work together. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { replyTo } from '../helpers/model-provider/provider.js';
import { calling } from '../helpers/model-provider/reply.js';
import { root } from '../helpers/programs/workspace.js';
import { message } from '../invocations/service-with-model.js';
import { useToolFixtures } from '../invocations/tool-fixtures.js';

const { fixture, apply } = useToolFixtures();

const read = (...file: string[]) => readFileSync(path.join(root, ...file), 'utf8');
const names = ['handbook-expert', 'front-desk'];
const manifests = names.map((name) => parse(read('examples/manifests', `${name}.yaml`)) as object);

test('the guide shows the examples', () => {
  const guide = read('docs/agents-that-work-together.md');
  const shown = [...guide.matchAll(/```yaml\n([^]*?)```/g)].map(
    ([, yaml = '']) => parse(yaml) as object,
  );
  expect(shown).toEqual(manifests);
});

test('one asks the other', async () => {
  for (const manifest of manifests) {
    expect(await apply(manifest)).toMatchObject({ code: 0, stderr: '' });
  }
  fixture.provider.behave(
    replyTo(({ system, messages }) => {
      if (system.includes('about our handbook')) return 'For one year.';
      const question = { message: 'How long is the guarantee of a battery?' };
      const told = messages.flatMap((said) => (said.role === 'tool' ? said.text : []));
      return told[0] ?? calling({ name: 'ask_handbook-expert', arguments: question });
    }),
  );
  const { data } = await fixture.tenant.api.expect(
    'invokeAgent',
    200,
    message('front-desk', 'Is the battery of my bicycle still under guarantee?'),
  );
  expect(data.response).toBe('For one year.');
});
