import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readSecret } from '../../../server/lib/text/secret-reference.js';
import { temporaryFolder } from '../../helpers/programs/workspace.js';

test('reads from the environment', async () => {
  expect(await readSecret('${env:TOKEN}', { TOKEN: 's3cret' })).toBe('s3cret');
});

test('reads from a file, without its trailing line break, each time again', async () => {
  const file = path.join(await temporaryFolder(), 'token');
  await writeFile(file, 'first\r\n');
  expect(await readSecret(`\${file:${file}}`)).toBe('first');
  await writeFile(file, 'second');
  expect(await readSecret(`\${file:${file}}`)).toBe('second');
});

test.each([
  ['${env:TOKEN}', {}, 'The variable TOKEN is not set.'],
  ['${env:TOKEN}', { TOKEN: '' }, 'The variable TOKEN is not set.'],
  ['${file:/no/such}', {}, 'The file /no/such cannot be read (ENOENT).'],
  ['s3cret', {}, 'A secret must be named as ${env:NAME} or ${file:path}.'],
])('%s with %j is rejected: %s', async (reference, environment, message) => {
  await expect(readSecret(reference, environment)).rejects.toThrow(message);
});
