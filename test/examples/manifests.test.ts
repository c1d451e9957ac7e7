/** The manifests in examples/ fit the manifest schema. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { manifestSchema } from '../../server/contract/project-files.js';
import { parseManifests } from '../../server/operator/parse-manifests.js';
import { root } from '../helpers/programs/workspace.js';

const folder = path.join(root, 'examples');
const manifests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml') && !file.endsWith('cases.yaml'))
  .sort();

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(manifestSchema, 'utf8')) as object);

test('there are manifests of each kind', () => {
  const models = manifests.map((file) => (read(file) as { model: string }).model.split('/')[0]);
  expect(new Set(models)).toEqual(new Set(['builtin', 'openai', 'local', 'http']));
});

test.each(manifests)('%s is valid', (file) => {
  validate(read(file));
  expect(validate.errors).toBeNull();
});

test.each(manifests)('%s passes the checks of agents apply', (file) => {
  const parsed = parseManifests(readFileSync(path.join(folder, file), 'utf8'));
  expect(parsed).not.toHaveProperty('problems');
});

function read(file: string): unknown {
  return parse(readFileSync(path.join(folder, file), 'utf8'));
}
